"""The bench runs, and prints every section; how fast anything is, no test asserts."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from affidavit.scripts.benchmarks import __main__ as bench
from affidavit.scripts.benchmarks.measure import Section, table

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What a quick run prints, started as scripts/bench starts it."""
    environment = os.environ | {"TMPDIR": str(tmp_path_factory.mktemp("bench")), "PYTHONUTF8": "1"}
    command = [sys.executable, "-P", "-m", "affidavit.scripts.benchmarks", "--quick"]
    done = subprocess.run(command, env=environment, capture_output=True, encoding="utf-8", check=False)
    assert done.stderr == ""
    assert done.returncode == 0
    assert list(Path(environment["TMPDIR"]).iterdir()) == []
    return done.stdout


@pytest.mark.parametrize("section", bench.SECTIONS)
def test_a_quick_run_prints(section: str, printed: str) -> None:
    block = printed.split(f"## {section}: ")[1].split("\n## ", maxsplit=1)[0]
    rows = [line for line in block.splitlines() if line.startswith("| ")]
    assert rows[0].split("|")[1].strip() == "what"
    assert len(rows) >= 3
    assert all(row.split("|")[2].strip() for row in rows)


def test_every_target_of_the_issue_has_its_row(printed: str) -> None:
    for wanted in ("<= 4x", "<= 1.25x", "<= 10x", "<= 3.5x", ">= 5,000", "<= 2.5x", ">= 25x", ">= 6x", "<= 2x"):
        assert f"| {wanted}" in printed, wanted
    for wanted in (">= 100,000", ">= 350,000", ">= 180,000", "<= 100 MB", "<= 1.5 ms", "<= 300 MB"):
        assert f"| {wanted}" in printed, wanted


def test_one_section_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.main(["--quick", "--only", "extraction"]) == 0
    out = capsys.readouterr().out
    assert "## extraction: " in out
    assert out.count("## ") == 1


def test_an_unknown_section_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        bench.main(["--only", "nothing"])
    assert ended.value.code == 2
    assert "locality" in capsys.readouterr().err


def test_a_missed_target_is_said_plainly() -> None:
    section = Section("some", "thing")
    section.cost("slow", 5e-6, 1e-6, target=4)
    section.cost("fast", 3e-6, 1e-6, target=4)
    slow, fast = (line.split("|") for line in table([section]).splitlines()[-2:])
    assert [cell.strip() for cell in slow[1:-1]] == ["slow", "5.0 us", "1.0 us", "5.00x", "<= 4x", "NO"]
    assert fast[-2].strip() == "yes"


def test_the_script_starts_the_bench() -> None:
    script = (ROOT / "scripts" / "bench").read_text(encoding="utf-8")
    assert "-m affidavit.scripts.benchmarks" in script
    assert os.access(ROOT / "scripts" / "bench", os.X_OK)
