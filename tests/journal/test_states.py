"""A stored state that may not be stops the command that loads it, with a sentence, and no other claim."""

from pathlib import Path

import pytest

import affidavit
from affidavit.domain.claims import ClaimState
from affidavit.domain.errors import IntegrityFault


@pytest.mark.row("P20")
def test_a_label_that_may_not_be_stops_the_command_and_no_other_claim(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with affidavit.init(tmp_path / "ledger", scope="ana") as ledger:
        ledger.remember("I like tea. I like jazz.")
        tea, jazz = (next(one.id for one in ledger.claims() if one.value == value) for value in ("tea", "jazz"))
        with monkeypatch.context() as patched:
            # As an earlier version wrote it, which did not look at labels.
            patched.setattr("affidavit.domain.claims.label_fault", lambda *_: "")
            stored = ClaimState.with_
            patched.setattr(
                ClaimState, "with_", lambda state, **changes: stored(state, **changes, basis="manual_correction")
            )
            ledger.pin(tea)
        before = ledger.position
        with pytest.raises(IntegrityFault, match=r"cannot be \(.*manual_correction by method local"):
            ledger.unpin(tea)
        assert ledger.position == before
        assert not ledger.pin(jazz).refused
        assert {one.value for one in ledger.claims()} == {"tea", "jazz"}
