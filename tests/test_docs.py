"""The documents are true: their examples run, their links resolve, and every command is in them."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from affidavit.scripts.cli import app

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = sorted([ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").rglob("*.md")])


def blocks(path: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def run(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "AFFIDAVIT_LEDGER": str(folder / "memory"),
    }
    return subprocess.run(["bash", "-c", line], cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_the_readmes_session_runs_as_a_stranger_would_type_it(tmp_path: Path) -> None:
    lines = [line for block in blocks(ROOT / "README.md", "sh") for line in block.splitlines()]
    assert len(lines) > 10
    claim = ""
    for line in lines:
        if line.startswith(("pip ", "export ")):
            continue
        done = run(line.replace("CLAIM", claim), tmp_path)
        assert done.returncode == 0, (line, done.stdout, done.stderr)
        if line == "affidavit claims":
            (claim,) = re.findall(r"^([0-9a-f]{8}).*Porto", done.stdout, re.MULTILINE)
    assert "Braga" in run("affidavit prompt", tmp_path).stdout
    assert "Porto" not in run("affidavit prompt", tmp_path).stdout


def test_the_readmes_python_runs(tmp_path: Path) -> None:
    (example,) = blocks(ROOT / "README.md", "python")
    done = subprocess.run([sys.executable, "-c", example], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "because of: I really like green tea" in done.stdout
    assert "User lives in Porto." in done.stdout


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_link_leads_somewhere(document: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", document.read_text(encoding="utf-8")):
        assert target.startswith("http") or (document.parent / target).exists(), target


def commands() -> list[tuple[str, click.Command]]:
    found = []
    for name, command in app.commands.items():
        if isinstance(command, click.Group):
            found += [(f"{name} {inner}", one) for inner, one in command.commands.items()]
        else:
            found.append((name, command))
    return found


@pytest.mark.parametrize(("name", "command"), commands())
def test_every_command_is_explained(name: str, command: click.Command) -> None:
    assert command.help
    assert all(option.help for option in command.params if isinstance(option, click.Option)), name
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert name.split(maxsplit=1)[0] in changelog
    if any(option.name == "as_json" for option in command.params):
        assert f"`{name}`" in (ROOT / "docs" / "reference" / "json.md").read_text(encoding="utf-8")


def test_no_document_or_module_names_a_path_of_this_machine_or_a_registry() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    home = f"{ROOT.parent}/".encode()
    for name in listed:
        path = ROOT / name
        if path.is_symlink() or path.suffix == ".db":
            continue
        content = path.read_bytes()
        assert home not in content, name
        assert b"index-" + b"url" not in content, name


def _rows(cell: str) -> Iterator[str]:
    """Yields the row ids that a cell of the page names: `N1, N26–N31`."""
    for part in cell.split(", "):
        first, _, last = part.strip().partition("–")
        kind, begin = first[0], int(first[1:])
        end = int(last[1:]) if last else begin
        yield from (f"{kind}{number}" for number in range(begin, end + 1))


def test_the_rows_of_the_conformance_page_are_those_that_tests_carry() -> None:
    page = (ROOT / "docs" / "conformance.md").read_text(encoding="utf-8")
    table = page[page.index("| row | where") : page.index("## Restated")]
    carried: dict[str, set[str]] = {}
    for path in (ROOT / "tests").rglob("test_*.py"):
        for row in re.findall(r'mark\.row\("([NPD]\d+)"\)', path.read_text(encoding="utf-8")):
            carried.setdefault(row, set()).add(path.name)
    listed: set[str] = set()
    for cell, where in re.findall(r"^\| ([NPD]\d[^|]*) \| ([^|]*) \|", table, re.MULTILINE):
        rows = set(_rows(cell))
        named = set(re.findall(r"test_\w+\.py", where))
        assert all(carried.get(row, set()) & named for row in rows), f"{where} carries not all of {cell}"
        assert named <= {name for row in rows for name in carried[row]}, f"{where} carries none of {cell}"
        listed |= rows
    assert listed == carried.keys()
    with_recall = {"N43", "N44", "P10", "P21", "P22", "P23", "P24", "P26", "P27", "P30"}
    every = {f"{kind}{number}" for kind, last in (("N", 47), ("P", 30), ("D", 12)) for number in range(1, last + 1)}
    assert every - listed == with_recall
