"""What all tests share: the `--long` switch, and the folder of real inputs, from which nothing is copied."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds `--long`: run the heavy checks at the issues' full numbers."""
    parser.addoption("--long", action="store_true", help="run the heavy checks at the issues' full numbers")


@pytest.fixture(scope="session")
def long(request: pytest.FixtureRequest) -> bool:
    """Tells whether the heavy checks run at full numbers."""
    return bool(request.config.getoption("--long"))


@pytest.fixture(scope="session")
def data() -> Path:
    """Returns the folder of real inputs; a test that needs it is skipped without, and fails on CI."""
    folder = Path(os.environ.get("AFFIDAVIT_TEST_DATA", ROOT.parent / "shared" / "data"))
    if not (folder / "locomo10.json").exists():
        reason = f"real inputs are needed: set AFFIDAVIT_TEST_DATA to a folder with locomo10.json (looked in {folder})"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    return folder
