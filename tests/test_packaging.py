"""The wheel holds `affidavit` and nothing else; the links, the lists and the folders agree."""

import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

import affidavit

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("domain", "journal", "projections", "rebuild", "scripts")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
BASE = {"blake3", "click", "cryptography", "eventsourcing", "msgpack", "msgspec", "pydantic", "rich"}


def test_each_folder_is_linked_under_the_package() -> None:
    links = {path.name: str(path.readlink()) for path in (ROOT / "src" / "affidavit").iterdir() if path.is_symlink()}
    assert links == {name: f"../../{name}" for name in FOLDERS}


def test_the_lists_of_the_build_agree_with_the_folders() -> None:
    targets = PROJECT["tool"]["hatch"]["build"]["targets"]
    assert set(FOLDERS) <= set(targets["wheel"]["only-include"])
    assert {key: value for key, value in targets["wheel"]["sources"].items() if key in FOLDERS} == {
        name: f"affidavit/{name}" for name in FOLDERS
    }
    assert set(targets["sdist"]["exclude"]) == {f"/src/affidavit/{name}" for name in FOLDERS}


def test_the_base_install_is_small() -> None:
    wanted = {re.split(r"[<>=!~ ]", requirement)[0] for requirement in PROJECT["project"]["dependencies"]}
    assert wanted == BASE


def test_the_top_level_is_the_design_cards() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    top = {path.split("/")[0] for path in listed if not path.startswith(".")}
    allowed = {*FOLDERS, "tests", "pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "docs", "src"}
    assert top <= allowed
    assert set(FOLDERS) <= top


def test_a_wheel_installs_the_package_alone(tmp_path: Path) -> None:
    """Builds with the backend that is installed, without the network, and reads the wheel's contents."""
    pytest.importorskip("hatchling")
    code = f"import hatchling.build, os; os.chdir({str(ROOT)!r}); print(hatchling.build.build_wheel({str(tmp_path)!r}))"
    built = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    names = zipfile.ZipFile(tmp_path / built.stdout.split()[-1]).namelist()
    tops = {name.split("/")[0] for name in names if ".dist-info" not in name}
    assert tops == {"affidavit"}
    assert {"affidavit/py.typed", "affidavit/domain/claims.py", "affidavit/scripts/cli/__init__.py"} <= set(names)
    assert not any("/tests/" in name for name in names)


def test_the_public_names_are_what_can_be_imported() -> None:
    assert list(affidavit.__all__) == sorted(affidavit.__all__)
    for name in affidavit.__all__:
        assert getattr(affidavit, name).__doc__, f"{name} has no docstring"
