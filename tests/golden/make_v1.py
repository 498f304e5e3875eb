"""Makes the golden journal v1: `python tests/golden/make_v1.py FOLDER`. Run once; the result is frozen at the first release.

A ledger with every event type of format 1, under a fixed clock, fixed randomness and a fixed key-encryption key; beside it
`expected.json`, what it must answer for ever, and `schemas.json`, the shapes that its records were written in.
"""

import json
import random
import sys
from dataclasses import asdict, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from extractors import Failing, Otherwise, Plain

import affidavit
from affidavit.domain.policy import Policy, Signals
from affidavit.domain.proposals import ExtractorId, Passage, Proposal, Span
from affidavit.domain.roles import Actor
from affidavit.scripts.ledger import Ledger
from affidavit.scripts.schemas import schemas

START = 1_781_000_000_000_000
"""9 June 2026, in microseconds since 1970 UTC."""


class Clock:
    """A clock that moves by one second at each look."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> int:
        """Returns the next second."""
        self.now += 1_000_000
        return self.now


class Misquoting(Plain):
    """Quotes what is not there."""

    def extract(self, passage: Passage) -> tuple[Proposal, ...]:
        """Returns one proposal whose quote is not at its span."""
        return (Proposal(text="User lives on the moon.", kind="fact", span=Span(0, 4), quote="moon"),)


class Enjoying(Plain):
    """Says of what one likes that one enjoys it."""

    identity = ExtractorId("enjoying", "1", "e" * 64)

    def extract(self, passage: Passage) -> tuple[Proposal, ...]:
        """Returns what `Plain` finds, in other words."""
        return tuple(replace(found, text=found.text.replace("likes", "enjoys")) for found in super().extract(passage))


def tell(ledger: Ledger) -> None:
    """Lives through every event type of format 1."""
    conversation = [
        {"id": "m1", "text": "I live in Lisbon and I like tea. 你好！", "name": "Ana", "time": "2026-05-28T12:00:00Z"},
        {"id": "m2", "role": "assistant", "text": "You live in Lisbon.", "time": "2026-05-28T12:01:00Z"},
        {"id": "m3", "text": "I like tea", "session": "s2", "time": "2026-05-29T08:00:00"},
        {"id": "m4", "text": "I live in Porto", "session": "s2", "time": "2026-05-30T08:00:00Z"},
    ]
    ledger.remember(conversation, extractor=Plain())
    ledger.remember({"id": "m5", "text": "My port is 7777", "namespace": "work"}, extractor=Plain())
    ledger.remember({"id": "m5", "text": "My port is 8888", "namespace": "work"}, extractor=Plain())
    ledger.remember({"id": "m6", "text": "I like jazz"}, extractor=Failing("jazz"))
    ledger.remember({"id": "m7", "text": "a moonlit night"}, extractor=Misquoting())
    ledger.remember("Ana's desk is by the window.", as_claim=True)
    claims = {claim.text: claim.id for claim in ledger.claims()}
    coimbra = ledger.correct(claims["User lives in Porto."], "User lives in Coimbra.")
    braga = ledger.correct(coimbra.claim, "User lives in Braga.")
    ledger.correct(braga.claim, "User lives in Porto.")
    ledger.extract(Enjoying(), again=True)
    ledger.reject(claims["User likes tea."])
    ledger.extract(Otherwise(Plain()), again=True)
    ledger.extract(Plain(), again=True)
    ledger.remember({"id": "m8", "text": "Again: I like tea"}, extractor=Plain())
    ledger.adopt_policy(Policy(signals=Signals(combo_after=3)))


def answers(ledger: Ledger) -> dict[str, object]:
    """Returns what the ledger must answer for ever."""
    now = "2026-06-20T00:00:00Z"
    return {
        "position": ledger.position,
        "head": ledger.verify().head,
        "claims": [asdict(claim) for claim in ledger.claims(every=True, now=now)],
        "why": {claim.id: asdict(ledger.why(claim.id, now=now)) for claim in ledger.claims(every=True)},
        "timeline": ledger.timeline(),
        "inbox": ledger.inbox(),
        "evidence": [asdict(item) for item in ledger.evidence()],
        "prompt": ledger.prompt(now=now).text,
        "manifest": ledger.prompt(now=now).manifest,
        "as of 20": [asdict(claim) for claim in ledger.claims(as_of=20, now=now)],
        "digests": {f"{one.view}": one.rebuilt for one in ledger.check_views()},
    }


def main(folder: Path) -> None:
    """Writes log, keys and expectations into a folder."""
    randomness = random.Random(1)
    ledger = affidavit.init(
        folder,
        scope="ana",
        time_zone="Europe/Lisbon",
        actor=Actor("operator", "ana"),
        clock=Clock(),
        random=randomness.randbytes,
    )
    tell(ledger)
    expected = answers(ledger)
    ledger.close()
    for path in (folder / "views").iterdir():
        path.unlink()
    (folder / "views").rmdir()
    (folder / "log.db.lock").unlink()
    (folder / "expected.json").write_text(json.dumps(expected, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    (folder / "schemas.json").write_text(json.dumps(schemas(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
