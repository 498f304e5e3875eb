"""A pin is a person's, changes nothing but itself, and is quiet when repeated."""

from dataclasses import replace
from typing import Any

import pytest
from spec import NOW, SCOPE, Ids, Outcome, a_claim, ana, assistant, at, operator

from affidavit.domain.claims import ClaimState
from affidavit.domain.freshness import confidence_now, evidence_weight, freshness, is_dormant
from affidavit.domain.pins import ClaimPinned, ClaimUnpinned, Pin, Unpin, pin, unpin
from affidavit.domain.policy import Policy
from affidavit.domain.roles import ROLES, Actor
from affidavit.domain.scopes import WriteRefused
from affidavit.domain.score import evidence_score

CLAIM = b"claim".ljust(16, b".")
POLICY = Policy()
LATER = at(4000)


def asked(kind: Any, by: Actor = ana) -> Any:
    return kind(actor=by, at=NOW, new_id=Ids(), scope=SCOPE, claim=CLAIM, namespace="")


def changed(before: ClaimState, after: ClaimState) -> dict[str, object]:
    old, new = before.model_dump(), after.model_dump()
    return {name: new[name] for name in new if new[name] != old[name]}


@pytest.mark.parametrize("by", [ana, operator])
def test_a_person_pins_a_live_claim(by: Actor) -> None:
    outcome = Outcome(pin(asked(Pin, by), a_claim())).then(ClaimPinned)
    assert changed(a_claim(), outcome.the(ClaimPinned).state) == {"pinned": True}


@pytest.mark.parametrize("role", sorted(ROLES - {"user", "operator"}))
def test_nobody_else_may_and_the_log_says_who_tried(role: Any) -> None:
    for decision in (
        pin(asked(Pin, Actor(role, "x")), a_claim()),
        unpin(asked(Unpin, Actor(role, "x")), a_claim(pinned=True)),
    ):
        Outcome(decision).refused("role", required="role user or operator")
        Outcome(decision).then(WriteRefused)


def test_pinning_twice_stays_quiet() -> None:
    Outcome(pin(asked(Pin), a_claim(pinned=True))).then_nothing()


@pytest.mark.parametrize("status", ["superseded", "denied", "quarantined", "archived", "forgotten"])
def test_what_is_not_live_cannot_be_pinned(status: str) -> None:
    Outcome(pin(asked(Pin), a_claim(status=status))).refused("not live", actual=f"status {status}")


def test_a_pin_comes_off_whatever_became_of_the_claim() -> None:
    for status in ("active", "superseded"):
        before = a_claim(pinned=True, status=status)
        outcome = Outcome(unpin(asked(Unpin), before)).then(ClaimUnpinned)
        assert changed(before, outcome.the(ClaimUnpinned).state) == {"pinned": False}


def test_unpinning_what_has_no_pin_stays_quiet() -> None:
    Outcome(unpin(asked(Unpin), a_claim())).then_nothing()


def test_pinning_again_is_a_command_of_its_own() -> None:
    new_id = Ids()
    first, again = (replace(asked(Pin), new_id=new_id) for _ in range(2))
    assert first.natural_key != again.natural_key


def test_a_pin_stops_aging_and_adds_no_credibility() -> None:
    plain, pinned = a_claim(), a_claim(pinned=True)
    assert is_dormant(plain.kind, plain.confirmed_at, LATER, POLICY, pinned=plain.pinned)
    assert not is_dormant(pinned.kind, pinned.confirmed_at, LATER, POLICY, pinned=pinned.pinned)
    assert freshness(pinned.kind, pinned.confirmed_at, LATER, POLICY, pinned=pinned.pinned) == 1
    for state in (plain, pinned):
        assert evidence_weight(state.basis, state.kind, POLICY) == evidence_weight("user_statement", "fact", POLICY)
        assert confidence_now(state.kind, state.confidence, state.confirmed_at, LATER, POLICY) == 0
        assert evidence_score(state.reinforcement, state.disputation, None, None, LATER, POLICY) == 0


def test_an_assistant_may_not_pin() -> None:
    Outcome(pin(asked(Pin, assistant), a_claim())).refused("role", actual="role assistant")
