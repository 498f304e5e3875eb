"""What others say of a claim, and what the user pastes back, changes no counter, clock, confidence or status."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from extractors import Otherwise, Plain

import affidavit
from affidavit.scripts.ledger import Ledger

SENTENCE = "I like tea"


class Gullible(Plain):
    """Believes every voice."""

    def extract(self, passage: affidavit.Passage) -> tuple[affidavit.Proposal, ...]:
        """Returns what `Plain` would say if all words were the user's."""
        heard = affidavit.Passage(passage.text, passage.chunk, "user", passage.adopted, passage.occurred_at)
        return super().extract(heard)


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with affidavit.init(tmp_path / "ledger", scope="ana") as ledger:
        ledger.remember({"id": "m0", "text": f"{SENTENCE}.", "session": "s0"}, extractor=Plain())
        yield ledger


def state(ledger: Ledger) -> dict[str, Any]:
    (claim,) = [claim for claim in ledger.claims(every=True) if claim.text == "User likes tea."]
    return ledger.show(claim.id, now="2030-01-01").state


@pytest.mark.parametrize("extractor", [Plain(), Gullible(), Otherwise(Gullible())])
def test_echoes_change_nothing(ledger: Ledger, extractor: affidavit.Extractor) -> None:
    before = state(ledger)
    echoes: list[dict[str, Any]] = [
        {"id": f"a{number}", "role": "assistant", "text": f"{SENTENCE}, you said. {SENTENCE}.", "session": f"s{number}"}
        for number in range(100)
    ]
    echoes.append({"id": "t", "role": "tool", "text": SENTENCE, "session": "t"})
    echoes.append({"id": "sum", "role": "system", "summary": True, "text": SENTENCE, "session": "sum"})
    echoes.append({"id": "fence", "text": f"```\n{SENTENCE}\n```", "session": "p1"})
    echoes.append({"id": "quoted", "text": f"> {SENTENCE}\nhm", "session": "p2"})
    echoes.append({"id": "tag", "text": f"<paste>{SENTENCE}</paste>", "session": "p3"})
    echoes.append({"id": "quotes", "text": f"You wrote “as I said, {SENTENCE} and nothing else”.", "session": "p4"})
    echoes.append({"id": "marked", "text": SENTENCE, "adopted": [[0, len(SENTENCE)]], "session": "p5"})
    ledger.remember(echoes, extractor=extractor)
    assert state(ledger) == before


def test_the_users_own_restatement_does_change_it(ledger: Ledger) -> None:
    before = state(ledger)
    ledger.remember({"id": "m1", "text": f"{SENTENCE}!", "session": "s1"}, extractor=Plain())
    after = state(ledger)
    changed = {name for name in before if before[name] != after[name]}
    assert changed == {
        "confidence",
        "confirmation",
        "confirmed_at",
        "evidence_at",
        "rein_last_signal_at",
        "reinforcement",
        "sessions",
        "signals",
        "user_fact_reinforce_count",
    }
