"""What people say and decide, in any order, against a plain dictionary: no divergence, and a rebuild says the same.

The model knows six things a user may say: where they live, which holds one value, and what they like, which holds many. It
keeps for each claim its status, pin and verdicts, and which values are rejected; it knows nothing of events. Undo takes the
model back to what it was before the last change.
"""

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from extractors import Plain
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test
from mechanism import MINUTE, Clock

import affidavit
from affidavit.domain.proposals import ExtractorId
from affidavit.projections.active import CLAIM, Active
from affidavit.scripts.ledger import Ledger

CITIES, THINGS = ("Lisbon", "Porto", "Braga"), ("tea", "jazz", "chess")
WORDS = {city: f"I live in {city}." for city in CITIES} | {thing: f"I like {thing}." for thing in THINGS}
SENTENCES = {city: f"User lives in {city}." for city in CITIES} | {thing: f"User likes {thing}." for thing in THINGS}
values = st.sampled_from(sorted(SENTENCES))
cities = st.sampled_from(CITIES)
things = st.sampled_from(THINGS)
EVERY = 10
"""How many steps lie between two comparisons of the views with views built anew."""


@dataclass
class Known:
    """What the model knows of one claim; `weak` if only summaries say so, `held` if a person vouched for it."""

    status: str = "active"
    pinned: bool = False
    utility: str = ""
    accuracy: str = ""
    weak: bool = field(default=False, compare=False)
    held: bool = field(default=False, compare=False)

    @property
    def outranks_a_summary(self) -> bool:
        """Tells whether a summary may not take its place: the user said it, or a person holds it."""
        return not self.weak or self.held or self.accuracy == "accurate"


@dataclass
class Model:
    """Claims by their value, and the values that are rejected."""

    claims: dict[str, Known] = field(default_factory=dict)
    rejected: set[str] = field(default_factory=set)

    def live(self, value: str) -> bool:
        return value in self.claims and self.claims[value].status == "active"

    def rivals(self, value: str) -> list[str]:
        return [city for city in CITIES if city != value and self.live(city)] if value in CITIES else []

    def believe(self, value: str) -> None:
        self.claims.setdefault(value, Known()).status = "active"
        for city in self.rivals(value):
            self.claims[city].status = "superseded"

    def says(self, value: str) -> None:
        if value not in self.rejected:
            self.believe(value)
            self.claims[value].weak = False

    def sums_up(self, value: str) -> None:
        if value in self.rejected or value in self.claims:
            return
        held = any(self.claims[city].outranks_a_summary for city in self.rivals(value))
        self.claims[value] = Known(status="quarantined" if held else "active", weak=True)
        if not held:
            self.believe(value)

    def corrects(self, old: str, new: str) -> None:
        before = self.claims[old]
        if old == new and before.status == "active":
            return
        pinned = before.pinned or self.claims.get(new, before).pinned
        if old != new:
            before.status = "superseded"
            self.rejected.add(old)
        self.rejected.discard(new)
        self.claims[new] = Known(pinned=pinned)
        self.believe(new)

    def goes(self, value: str, status: str) -> None:
        self.claims[value].status = status
        self.claims[value].held = False
        self.rejected.add(value)

    def judges(self, value: str, verdict: str) -> None:
        if verdict in {"useful", "unhelpful"}:
            self.claims[value].utility = verdict
            return
        self.claims[value].accuracy = verdict
        if verdict == "incorrect":
            self.goes(value, "quarantined")

    def resolves(self, value: str, disposition: str) -> None:
        old = self.rivals(value)
        known = self.claims[value]
        if disposition == "keep-new":
            self.rejected.discard(value)
            known.accuracy = "accurate" if known.accuracy == "incorrect" else known.accuracy
            known.held = True
            self.believe(value)
        elif disposition == "remove-both":
            for one in (value, *old):
                self.goes(one, "forgotten")
        elif old:
            self.claims[old[0]].held = True
            known.status = "superseded" if known.status == "quarantined" else known.status
        elif known.status == "quarantined":
            self.goes(value, "forgotten")

    def resolvable(self, value: str) -> bool:
        status = self.claims[value].status
        return status == "quarantined" or (status in {"denied", "forgotten", "superseded"} and value in self.rejected)


class Second(Plain):
    """Another extractor, that says the same of the same words."""

    identity = ExtractorId("second", "1", "6" * 64)


class Decisions(RuleBasedStateMachine):
    """One ledger, told and judged, beside its model."""

    def __init__(self) -> None:
        super().__init__()
        self._folder = TemporaryDirectory(prefix="affidavit-machine-")
        self.clock = Clock()
        self.ledger: Ledger = affidavit.init(Path(self._folder.name) / "ledger", scope="ana", clock=self.clock)
        self.model = Model()
        self.before: Model | None = None
        self.steps = 0

    def teardown(self) -> None:
        """Closes the ledger, and removes it."""
        self.ledger.close()
        self._folder.cleanup()

    # -- what is said and decided --------------------------------------------------------------------------------------

    @rule(value=values)
    def say(self, value: str) -> None:
        """Lets the user say it, anew."""
        self._begin()
        self.ledger.remember(WORDS[value], extractor=Plain())
        self.model.says(value)

    @rule(value=values)
    def sum_up(self, value: str) -> None:
        """Lets a summary say it, which takes the place of nothing that the user said."""
        self._begin()
        self.ledger.remember({"text": WORDS[value], "summary": True}, extractor=Plain())
        self.model.sums_up(value)

    @rule(value=values, role=st.sampled_from(["assistant", "tool", "system"]))
    def say_by_another(self, value: str, role: Any) -> None:
        """Lets somebody else say it, which is nothing."""
        self.ledger.remember(WORDS[value], role=role, extractor=Plain())

    @precondition(lambda self: self.model.claims)
    @rule(data=st.data(), new=cities)
    def correct(self, data: st.DataObject, new: str) -> None:
        """Corrects where the user lives."""
        old = self._one(data, lambda value: value in CITIES and self._judged(value))
        if old is not None:
            self._begin()
            assert not self.ledger.correct(self._id(old), SENTENCES[new]).refused
            self.model.corrects(old, new)

    @precondition(lambda self: self.model.claims)
    @rule(data=st.data(), forget=st.booleans())
    def reject(self, data: st.DataObject, forget: bool) -> None:
        """Rejects or forgets any claim; what is out of sight already can be forgotten only."""
        value = self._one(data, lambda _: True)
        assert value is not None
        self._begin()
        if forget:
            assert not self.ledger.forget(self._id(value)).refused
            self.model.goes(value, "forgotten")
            return
        refused = self.ledger.reject(self._id(value)).refused
        assert bool(refused) is not self._judged(value)
        if not refused:
            self.model.goes(value, "denied")

    @precondition(lambda self: self.model.claims)
    @rule(data=st.data(), verdict=st.sampled_from(["useful", "unhelpful", "accurate", "incorrect"]), told=st.booleans())
    def feedback(self, data: st.DataObject, verdict: str, told: bool) -> None:
        """Gives a verdict, by hand or by a whole message."""
        value = self._one(data, lambda _: True)
        assert value is not None
        self._begin()
        if told:
            refused = bool(self.ledger.remember(f"memory {self._id(value)} is {verdict}.", extractor=Plain()).refused)
        else:
            refused = bool(self.ledger.feedback(self._id(value), verdict).refused)
        assert refused is not self.model.live(value)
        if not refused:
            self.model.judges(value, verdict)

    @precondition(lambda self: self.model.claims)
    @rule(data=st.data(), disposition=st.sampled_from(["keep-new", "keep-old", "remove-both"]))
    def resolve(self, data: st.DataObject, disposition: str) -> None:
        """Resolves what was held back or rejected."""
        value = self._one(data, self.model.resolvable)
        if value is not None:
            self._begin()
            assert not self.ledger.resolve(self._id(value), disposition).refused
            self.model.resolves(value, disposition)

    @precondition(lambda self: self.model.claims)
    @rule(data=st.data(), on=st.booleans())
    def pin(self, data: st.DataObject, on: bool) -> None:
        """Pins what the user likes, or takes the pin off."""
        value = self._one(data, lambda value: value in THINGS and (self.model.live(value) or not on))
        if value is not None:
            self._begin()
            done = self.ledger.pin(self._id(value)) if on else self.ledger.unpin(self._id(value))
            assert not done.refused
            self.model.claims[value].pinned = on

    @precondition(lambda self: self.before is not None)
    @rule(again=st.booleans())
    def undo(self, again: bool) -> None:
        """Takes the last change back, and perhaps that too."""
        assert self.before is not None
        changed, after = self._last_change(), self.model
        if changed <= self._begun:
            return
        done = self.ledger.undo(changed)
        assert not done.refused, done.refused
        self.model = self._without_what_was_made(self.before, after)
        if again:
            assert not self.ledger.undo(done.position).refused
            self.model = after
        self.before = None

    # -- what changes nothing ------------------------------------------------------------------------------------------

    @rule()
    def read_again(self) -> None:
        """Reads everything again: no status changes, though what was refused may speak for a claim by now."""
        self.ledger.extract(Plain(), again=True)
        self.before = None

    @rule()
    def read_by_another(self) -> None:
        """Lets a second extractor read everything, in the same words: it supports what is there, and revives nothing."""
        self.ledger.extract(Second(), again=True)
        self.before = None

    @rule()
    def restart(self) -> None:
        """Closes the ledger, and opens it."""
        self.ledger.close()
        self.ledger = affidavit.open(Path(self._folder.name) / "ledger", clock=self.clock)

    @rule()
    def rebuild(self) -> None:
        """Builds every view anew, beside the old ones."""
        self.ledger.rebuild()

    @invariant()
    def says_what_the_model_says(self) -> None:
        """Compares the ledger with the model, and every few steps with what a rebuild says."""
        assert self._claims() == self.model.claims
        self.steps += 1
        if self.steps % EVERY == 0:
            assert [view.view for view in self.ledger.check_views() if not view.agree] == []

    # -- inside --------------------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        self.clock.now += MINUTE
        self.before = deepcopy(self.model)
        self._begun = self.ledger.position

    def _judged(self, value: str) -> bool:
        return self.model.claims[value].status in {"active", "quarantined", "denied"}

    def _one(self, data: st.DataObject, fits: Any) -> str | None:
        fitting = sorted(value for value in self.model.claims if fits(value))
        return data.draw(st.sampled_from(fitting)) if fitting else None

    def _rows(self) -> Iterator[tuple[str, dict[str, Any]]]:
        with self.ledger.snapshot() as at:
            for row in at.rows(Active()).all(at.scope, CLAIM):
                yield row.key.hex()[:24], row.natural

    def _id(self, value: str) -> str:
        return next(key for key, natural in self._rows() if natural["text"] == SENTENCES[value])

    def _claims(self) -> dict[str, Known]:
        by_sentence = {sentence: value for value, sentence in SENTENCES.items()}
        return {
            by_sentence[natural["text"]]: Known(
                status=natural["status"],
                pinned=natural["pinned"],
                utility=natural.get("utility", {}).get("verdict", ""),
                accuracy=natural.get("accuracy", {}).get("verdict", ""),
            )
            for _, natural in self._rows()
        }

    def _last_change(self) -> int:
        events = self.ledger.timeline(after=self._begun)
        return max((event["position"] for event in events if "claim" in event), default=0)

    @staticmethod
    def _without_what_was_made(before: Model, after: Model) -> Model:
        """Returns the model before; a claim that was made since is there still, forgotten and not rejected."""
        back = deepcopy(before)
        for value, known in after.claims.items():
            if value not in back.claims:
                back.claims[value] = Known(**{**vars(known), "status": "forgotten"})
        return back


def test_no_order_of_what_is_said_and_decided_diverges(long: bool) -> None:
    """A hundred thousand steps with --long."""
    examples, steps = (1000, 100) if long else (12, 25)
    run_state_machine_as_test(
        Decisions,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            derandomize=not long,
            suppress_health_check=list(HealthCheck),
        ),
    )


def test_the_machine_would_see_a_divergence() -> None:
    class Forgetful(Decisions):
        @rule()
        def drop(self) -> None:
            self.model.claims.pop(next(iter(self.model.claims), ""), None)

    with pytest.raises(AssertionError):
        run_state_machine_as_test(Forgetful, settings=settings(max_examples=20, stateful_step_count=10, deadline=None))
