"""What all tests of the entry points share: no variable of the machine's speaks into them."""

import pytest


@pytest.fixture(autouse=True)
def _no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AFFIDAVIT_LEDGER", "AFFIDAVIT_KEYS", "AFFIDAVIT_KEK", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
