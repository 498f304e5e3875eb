"""A claim is its scope, namespace, form, entity and sentence; it lives while someone supports it."""

from typing import Any

import pytest
from spec import FakeIndex, a_claim

from affidavit.domain.claims import LIVE, ClaimContent, ClaimState, Wording, claim_id, digests


def test_the_same_sentence_in_other_dress_is_the_same_claim() -> None:
    index = FakeIndex()
    assert claim_id(index, "", "fact", "user", "User likes tea.") == claim_id(index, "", "fact", "User", "USER likes  tea")


@pytest.mark.parametrize(
    "other",
    [
        ("novel", "fact", "user", "User likes tea."),
        ("", "persona", "user", "User likes tea."),
        ("", "fact", "agent", "User likes tea."),
        ("", "fact", "user", "User likes teas."),
    ],
)
def test_namespace_form_entity_and_sentence_tell_claims_apart(other: tuple[str, str, str, str]) -> None:
    index = FakeIndex()
    assert claim_id(index, *other) != claim_id(index, "", "fact", "user", "User likes tea.")


def test_an_unknown_value_has_no_digest() -> None:
    for attribute, value in (("", "tea"), ("likes", ""), ("", "")):
        content = ClaimContent(text="User likes tea.", attribute=attribute, value=value)
        found = digests(FakeIndex(), "", content, "positive")
        assert (found["topic"], found["value"]) == (None, None)


@pytest.mark.parametrize(
    ("changes", "live"),
    [
        ({}, True),
        ({"generations": ()}, False),
        ({"generations": (), "asserted": True}, True),
        ({"status": "superseded"}, False),
        ({"status": "superseded", "asserted": True}, False),
    ],
)
def test_a_claim_lives_by_its_status_and_its_support(changes: dict[str, Any], live: bool) -> None:
    assert a_claim(**changes).live is live


def test_what_was_ended_is_not_live() -> None:
    assert {"active", "pending", "confirmed", "promote_blocked"} == LIVE


def test_a_persons_wording_is_shown_then_the_generations_then_the_first() -> None:
    first, second, person = (bytes([number]) * 16 for number in (1, 2, 3))
    derived = Wording(generation=1, content=first), Wording(generation=2, content=second)
    state: ClaimState = a_claim(wordings=derived)
    assert [state.wording(generation) for generation in (1, 2, 3)] == [first, second, first]
    assert a_claim(wordings=(*derived, Wording(generation=0, content=person))).wording(2) == person
