"""Receipts of commands whose records lie in another stream than the one they are about, or that follow one another."""

from pathlib import Path

import pytest
from mechanism import CALM, World
from reasoners import Scripted

from affidavit.domain.questions import Reflection, Verdict
from affidavit.journal import steps

TEXT = "User likes tea."


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path / "ledger")


def test_another_message_asserts_again_what_was_rejected_in_between(world: World) -> None:
    with world.ledger as ledger:
        for number in range(3):
            ledger.remember({"id": f"{number}", "text": TEXT}, as_claim=True)
            assert world.the(TEXT).status == "active"
            ledger.reject(world.the(TEXT).id)
        assert ledger.verify().clean


def test_the_same_message_asserts_once(world: World) -> None:
    with world.ledger as ledger:
        ledger.remember({"id": "1", "text": TEXT}, as_claim=True)
        ledger.reject(world.the(TEXT).id)
        before = ledger.position
        ledger.remember({"id": "1", "text": TEXT}, as_claim=True)
        assert (world.the(TEXT).status, ledger.position) == ("denied", before)


def test_a_reply_that_judges_two_claims_is_two_commands(world: World) -> None:
    with world.ledger as ledger:
        world.pending()
        world.like("lakes", "moss", "woods", "hills", "snow")
        world._take("synthesis", Scripted(reflect=Reflection("User enjoys the outdoors.")))
        assert len(ledger.surface(now=world.clock.now)) == 2
        model = Scripted(judge_reply=lambda reply, shown: tuple(Verdict(one.id, "confirms", "Yes") for one in shown))
        ledger.reply("Yes, both.", now=world.clock.now, extractor=model)
        assert {claim.status for claim in ledger.claims() if claim.form == "reflection"} == {"confirmed"}
        assert ledger.verify().clean
        before = ledger.check_views()
        ledger.rebuild_index()
        assert ledger.verify().clean
        assert ledger.check_views() == before


def test_a_message_rebuts_a_claim_once_whoever_names_it_again(world: World) -> None:
    with world.ledger as ledger:
        world.confirmed()
        world.persona("mint")
        world.say("Let's change the subject.")
        for name, words in (("one", (CALM, "mint")), ("other", ("mint", CALM)), ("third", (CALM,))):
            item = bytes.fromhex(next(one.id for one in ledger.evidence() if one.text.startswith("Let")))
            with ledger.snapshot() as at:
                keys = {entry.body.stream.hex(): entry.body.stream for entry in at.reader.claim_entries()}
                items = {found.hex()[:24]: found for found in at.reader.evidence_items(at.scope)}
            shown = [world.the("likes mint", "persona").id if word == "mint" else world.the(word).id for word in words]
            targets = [next(key for text, key in keys.items() if text.startswith(one)) for one in shown]
            request = name.encode().ljust(16, b".")
            note = steps.note(ledger.log, ledger.scope, "targets", request, "answered", world.clock.now, extractor=name)
            steps.rebut(ledger.log, ledger.scope, items[item.hex()], targets, name, world.clock.now, note)
        assert world.state(CALM)["disputation"] == world.state("likes mint", "persona")["disputation"] == 1.0
        assert ledger.verify().clean
