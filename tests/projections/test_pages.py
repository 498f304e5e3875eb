"""Claims by pages: together they are the whole list, in the order the claims came in, as of any position."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from extractors import Plain

import affidavit
from affidavit.domain.errors import UnknownId, UsageError
from affidavit.projections.answers import Claim

DRINKS = ("tea", "coffee", "milk", "water", "juice", "cocoa", "mate")


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[affidavit.Ledger]:
    with affidavit.init(tmp_path / "ledger", scope="ana") as opened:
        said = [{"id": drink, "text": f"I like {drink}.", "time": f"2026-01-0{9 - n}"} for n, drink in enumerate(DRINKS)]
        opened.remember(said, extractor=Plain())
        opened.open_scope("bo")
        opened.remember("I like rum.", extractor=Plain())
        yield opened.at("ana")


def pages(ledger: affidavit.Ledger, limit: int, **chosen: object) -> Iterator[list[Claim]]:
    after = ""
    while page := ledger.claims(limit=limit, after=after, **chosen):  # type: ignore[arg-type]
        yield page
        after = page[-1].id


@pytest.mark.parametrize("limit", [1, 2, 7, 200])
def test_the_pages_are_the_whole_list(ledger: affidavit.Ledger, limit: int) -> None:
    found = list(pages(ledger, limit))
    assert all(len(page) == limit for page in found[:-1])
    claims = [claim for page in found for claim in page]
    assert [claim.value for claim in claims] == list(DRINKS)
    assert sorted(claims, key=lambda claim: claim.id) == sorted(ledger.claims(), key=lambda claim: claim.id)


def test_a_page_goes_on_after_a_claim_that_is_gone_meanwhile(ledger: affidavit.Ledger) -> None:
    (first,) = ledger.claims(limit=1)
    ledger.reject(first.id)
    assert [claim.value for claim in ledger.claims(limit=2, after=first.id)] == ["coffee", "milk"]
    assert [claim.status for claim in ledger.claims(limit=9, status="denied")] == ["denied"]
    assert len(ledger.claims(limit=9, every=True)) == len(DRINKS)


def test_a_page_as_of_a_position_ends_there(ledger: affidavit.Ledger) -> None:
    position = ledger.position
    ledger.remember("I like gin.", extractor=Plain())
    assert [claim.value for claim in ledger.claims(limit=9)][-1] == "gin"
    assert [claim.value for claim in ledger.claims(limit=9, as_of=position)] == list(DRINKS)


def test_what_makes_no_page_is_refused(ledger: affidavit.Ledger) -> None:
    with pytest.raises(UsageError, match="one or more"):
        ledger.claims(limit=0)
    with pytest.raises(UsageError, match="no limit"):
        ledger.claims(after=ledger.claims()[0].id)
    with pytest.raises(UnknownId):
        ledger.claims(limit=1, after=ledger.at("bo").claims()[0].id)
    with pytest.raises(UsageError, match="status is"):
        ledger.claims(limit=1, status="lively")
