"""A ledger under a clock of its own, and the stories that bring a claim as far as a test needs it."""

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from reasoners import FRESH, Scripted, every

import affidavit
from affidavit.domain.claims import ClaimAsserted
from affidavit.domain.corrections import Assert, assert_claim
from affidavit.domain.decisions import Decision
from affidavit.domain.evidence import evidence_id
from affidavit.domain.proposals import Extractor
from affidavit.domain.questions import Reflection
from affidavit.domain.roles import Actor
from affidavit.domain.times import DAY, SECOND, iso, parse_time
from affidavit.journal.log import Receipt, Transaction
from affidavit.projections.answers import Claim
from affidavit.rebuild.loops import Done, Loops
from affidavit.scripts.ledger import Ledger

MINUTE = 60 * SECOND
BEGIN = parse_time("2027-03-01T08:00:00Z", "UTC")[0]
FIVE = ("tea", "jazz", "chess", "rain", "bread")
QUIET = Reflection("User enjoys quiet evenings.", kind="pattern")
CALM = "quiet evenings"


class Clock:
    """Stands still until it is moved."""

    def __init__(self, now: int = BEGIN) -> None:
        self.now = now

    def __call__(self) -> int:
        return self.now


class World:
    """One ledger. With `kept` the loops are one object for its whole life, else new for each tick, as after a restart."""

    def __init__(self, folder: Path, *, kept: bool = False, random: Callable[[int], bytes] = os.urandom) -> None:
        self.folder = folder
        self.clock = Clock()
        self.ledger: Ledger = affidavit.init(folder, scope="ana", clock=self.clock, random=random)
        self.model: Extractor = Scripted()
        self.kept = kept
        self._loops: tuple[Extractor, Loops] | None = None
        self._said = 0

    def say(self, *texts: str, role: str = "user", session: str = "") -> None:
        """Records messages now, each in a session of its own unless one is named; nobody reads them yet."""
        for text in texts:
            self._said += 1
            name = f"m{self._said}"
            said = {"id": name, "text": text, "role": role, "session": session or name, "time": iso(self.clock.now)}
            self.ledger.remember(said, extractor=None)

    def like(self, *things: str) -> None:
        """Lets the user say that they like things, each in a session of its own."""
        self.say(*(f"I like {thing}." for thing in things))

    def tick(self, *, minutes: int = 1, days: int = 0) -> Done:
        """Moves the clock on, and lets the loops do what is due then."""
        self.clock.now += minutes * MINUTE + days * DAY
        if not self.kept:
            return self.ledger.tick(now=self.clock.now, extractor=self.model)
        if self._loops is None or self._loops[0] is not self.model:
            self._loops = self.model, self.ledger.loops(self.model)
        with self._loops[1].lease():
            return self._loops[1].tick(self.clock.now)

    def ticks(self, count: int, *, minutes: int = 1) -> None:
        """Ticks so often."""
        for _ in range(count):
            self.tick(minutes=minutes)

    def the(self, text: str, form: str = "") -> Claim:
        """Returns the one claim whose sentence holds `text`, live or not."""
        found = [one for one in self.ledger.claims(every=True) if text in one.text and form in {"", one.form}]
        assert len(found) == 1, [(one.form, one.status, one.text) for one in self.ledger.claims(every=True)]
        return found[0]

    def state(self, text: str, form: str = "") -> dict[str, Any]:
        """Returns its state."""
        return self.ledger.show(self.the(text, form).id, now=self.clock.now).state

    def score(self, text: str, form: str = "") -> float:
        """Returns its score now."""
        return self.ledger.show(self.the(text, form).id, now=self.clock.now).score

    def types(self, text: str, form: str = "") -> list[str]:
        """Returns the types of its events, in order."""
        return [step.type for step in self.ledger.history(self.the(text, form).id)]

    def waiting(self) -> list[tuple[str, str]]:
        """Returns class and rule of everything in the inbox."""
        return [(one["class"], one["rule"]) for one in self.ledger.inbox()]

    def funnel(self, stage: str) -> dict[str, int]:
        """Returns one stage of the funnel by its parts."""
        return next((one["by"] or {"": one["count"]} for one in self.ledger.funnel() if one["stage"] == stage), {})

    # -- stories -------------------------------------------------------------------------------------------------------

    def pending(self, *things: str) -> None:
        """Lets five likings become a reflection."""
        self.like(*(things or FIVE))
        self._take("synthesis", Scripted(reflect=QUIET))
        assert self.the(CALM).status == "pending"

    def confirmed(self) -> None:
        """Lets the user confirm that reflection: its score is 1.0. Its facts were weighed before, and spoke of nothing."""
        self.pending()
        self.ledger.surface(now=self.clock.now)
        self.ledger.reply("Yes.", verdict="confirms", now=self.clock.now)
        assert self.the(CALM).status == "confirmed"
        self._take("relations", Scripted(relate=()))

    def ready(self) -> None:
        """Lets three facts reinforce it: 3.0, so the next tick promotes it. Nobody was asked about a promotion yet."""
        self.confirmed()
        self.clock.now += 60 * MINUTE
        self.like("books", "lakes", "moss")
        self._take("relations", Scripted(relate=every("reinforces", CALM)))
        assert self.score(CALM) > 2

    def persona(self, thing: str = "tea") -> None:
        """Lets the user say five times that they like something, which makes it a persona claim of its own."""
        self.like(*[thing] * 5)
        self._take("promotion", Scripted(merge=FRESH))
        assert self.the(f"likes {thing}", "persona").status == "active"

    def _take(self, step: str, model: Extractor) -> None:
        """Reads what is unread and takes one step alone with another model, which leaves no other question unanswered."""
        self.clock.now += MINUTE
        loops = self.ledger.loops(model)
        for name in ("extraction", step):
            loops._steps[name](self.clock.now, Done())

    def assert_persona(self, text: str, *, card: bool) -> None:
        """Lets the host hold a persona claim, from the character card where told: importers will do so."""
        self.ledger.remember({"id": "card", "text": text, "role": "system"}, extractor=None)
        log = self.ledger.log

        def work(tx: Transaction) -> Receipt:
            command = Assert(
                actor=Actor("host", "importer"),
                at=self.clock.now,
                new_id=log.new_id,
                scope=self.ledger.scope,
                item=evidence_id(tx, "remember", "", "card"),
                namespace="",
                namespace_id=None,
                text=text,
                kind="fact",
                form="persona",
            )
            return tx.transact(command, lambda: _carded(assert_claim(command, tx), card=card))

        log.write(self.ledger.scope, work)


def _carded(decision: Decision, *, card: bool) -> Decision:
    (event,) = decision  # type: ignore[misc]
    assert isinstance(event, ClaimAsserted)
    return (event.with_(state=event.state.with_(basis="card")) if card else event,)


def by_another(folder: Path, act: Callable[[Ledger], object]) -> Callable[[], None]:
    """Returns what another thread does with a ledger of its own, and waits for."""

    def acts() -> None:
        with affidavit.open(folder) as other:
            act(other)

    def happens() -> None:
        thread = threading.Thread(target=acts)
        thread.start()
        thread.join(20)
        assert not thread.is_alive()

    return happens
