"""The arrows of design.md §2, read off the imports: domain <- journal <- projections <- rebuild <- scripts."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
MAY_IMPORT = {
    "domain": {"domain"},
    "journal": {"domain", "journal"},
    "projections": {"domain", "journal", "projections"},
    "rebuild": {"domain", "journal", "projections", "rebuild"},
    "scripts": {"domain", "journal", "projections", "rebuild", "scripts"},
}
READ_SIDE = {"encoding", "failures", "files", "reading", "records", "vault"}
"""What projections may use of the journal: its read side, and nothing through which the log grows."""
PURE_NEEDS = {"blake3", "msgspec", "pydantic"}
"""Third-party packages that the domain may import: validation, encoding of the policy, and its digest."""
IMPURE = {"os", "io", "time", "random", "secrets", "socket", "sqlite3", "subprocess", "pathlib", "logging", "threading"}


def modules(folder: str) -> list[Path]:
    return sorted((ROOT / folder).rglob("*.py"))


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            yield str(node.module)
            yield from (f"{node.module}.{name.name}" for name in node.names)


def ours(path: Path) -> set[str]:
    return {name.split(".")[1] for name in imports(path) if name.startswith("affidavit.") and name.count(".")}


@pytest.mark.parametrize("folder", MAY_IMPORT)
def test_a_folder_imports_only_what_its_arrow_allows(folder: str) -> None:
    found = {path.name: ours(path) - MAY_IMPORT[folder] for path in modules(folder)}
    assert len(found) >= 2
    assert {name: extra for name, extra in found.items() if extra} == {}


def test_the_domain_knows_no_clock_no_randomness_and_no_io() -> None:
    allowed = PURE_NEEDS | set(sys.stdlib_module_names) - IMPURE | {"affidavit"}
    for path in modules("domain"):
        assert {name.split(".")[0] for name in imports(path)} <= allowed, path


def test_projections_use_the_journals_read_side_only() -> None:
    for path in modules("projections"):
        used = {name.split(".")[2] for name in imports(path) if name.startswith("affidavit.journal.")}
        assert used <= READ_SIDE, path


def test_only_the_composition_root_names_a_concrete_adapter() -> None:
    concrete = {"affidavit.journal.recorder", "affidavit.rebuild.extractors.rules"}
    inside = {ROOT / "journal" / "log.py", ROOT / "scripts" / "bootstrap.py"}
    for folder in MAY_IMPORT:
        for path in modules(folder):
            if path in inside or {"rules", "benchmarks"} & set(path.parts):
                continue
            assert not concrete & set(imports(path)), path


def test_the_linter_sees_an_arrow_against_the_design(tmp_path: Path) -> None:
    planted = tmp_path / "planted.py"
    planted.write_text("from affidavit.rebuild import extraction\n")
    assert ours(planted) - MAY_IMPORT["projections"] == {"rebuild"}
