"""Extraction: a failure backs off and stops nobody else, nothing is derived twice, and only testimony is read."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from extractors import Failing, Plain

import affidavit
from affidavit.domain.proposals import ExtractorId, Passage, Proposal
from affidavit.domain.times import SECOND

BACKOFF = (60, 300, 900, 3600)


class Clock:
    """A clock that the test moves."""

    now = 1_800_000_000 * SECOND

    def __call__(self) -> int:
        return self.now

    def moves(self, seconds: float) -> None:
        self.now += int(seconds * SECOND)


class Flaky:
    """Gives no answer while it is down; reads as `Plain` does when it is up."""

    identity = ExtractorId("flaky", "1", "2" * 64)
    down = True

    def extract(self, passage: Passage) -> tuple[Proposal, ...]:
        """Raises ExtractionError while it is down."""
        return Failing().extract(passage) if self.down else Plain().extract(passage)


class Witness:
    """Remembers what it was shown."""

    identity = ExtractorId("witness", "1", "3" * 64)

    def __init__(self) -> None:
        self.shown: list[Passage] = []

    def extract(self, passage: Passage) -> tuple[Proposal, ...]:
        """Finds nothing."""
        self.shown.append(passage)
        return ()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def ledger(tmp_path: Path, clock: Clock) -> Iterator[affidavit.Ledger]:
    with affidavit.init(tmp_path / "ledger", scope="ana", clock=clock) as opened:
        yield opened


def hear(ledger: affidavit.Ledger, *texts: str, **fields: Any) -> None:
    """Records messages, unread, with numbers as their ids."""
    ledger.remember([{"id": str(number), "text": text, **fields} for number, text in enumerate(texts, 1)], extractor=None)


def texts(ledger: affidavit.Ledger) -> set[str]:
    return {claim.text for claim in ledger.claims()}


def types(ledger: affidavit.Ledger) -> list[str]:
    return [event["type"] for event in ledger.timeline()]


def fails_to_the_end(ledger: affidavit.Ledger, clock: Clock, extractor: Any) -> None:
    ledger.extract(extractor)
    for wait in BACKOFF:
        clock.moves(wait)
        ledger.extract(extractor)


# -- failures ----------------------------------------------------------------------------------------------------------


def test_a_failure_is_recorded_and_derives_nothing(ledger: affidavit.Ledger) -> None:
    hear(ledger, "I like tea.")
    tally = ledger.extract(Failing())
    assert (tally.read, tally.failed, tally.derived) == (0, 1, 0)
    assert "extraction-failed" in types(ledger)
    assert ledger.evidence()[0].readings == ["failing@1/00000000 failed (revision 1)"]
    assert ledger.claims() == []


def test_a_failure_is_tried_again_when_its_back_off_is_over_and_not_before(ledger: affidavit.Ledger, clock: Clock) -> None:
    hear(ledger, "I like tea.")
    assert ledger.extract(Failing()).failed == 1
    for wait in BACKOFF:
        clock.moves(wait - 1)
        assert ledger.extract(Failing()).failed == 0
        clock.moves(1)
        assert ledger.extract(Failing()).failed == 1


def test_after_five_failures_it_is_a_dead_letter_in_the_inbox(ledger: affidavit.Ledger, clock: Clock) -> None:
    hear(ledger, "I like tea.")
    fails_to_the_end(ledger, clock, Failing())
    (matter,) = ledger.inbox()
    assert (matter["class"], matter["text"], matter["attempts"]) == ("dead letter", "1", 5)
    assert matter["evidence"] == ledger.evidence()[0].id
    assert matter["error"] == "the model is not there"


def test_before_the_fifth_nothing_stands_in_the_inbox(ledger: affidavit.Ledger, clock: Clock) -> None:
    hear(ledger, "I like tea.")
    for wait in (*BACKOFF[:3], 0):
        ledger.extract(Failing())
        clock.moves(wait)
    assert types(ledger).count("extraction-failed") == 4
    assert ledger.inbox() == []


def test_a_dead_letter_is_left_alone(ledger: affidavit.Ledger, clock: Clock) -> None:
    hear(ledger, "I like tea.")
    fails_to_the_end(ledger, clock, Failing())
    clock.moves(365 * 86_400)
    assert ledger.extract(Failing()).failed == 0


def test_a_dead_letter_that_is_read_in_the_end_leaves_the_inbox(ledger: affidavit.Ledger, clock: Clock) -> None:
    flaky = Flaky()
    hear(ledger, "I like tea.")
    fails_to_the_end(ledger, clock, flaky)
    flaky.down = False
    assert ledger.extract(flaky, again=True).derived == 1
    assert ledger.inbox() == []
    assert texts(ledger) == {"User likes tea."}


def test_a_poison_message_stops_no_other(ledger: affidavit.Ledger, clock: Clock) -> None:
    hear(ledger, "I like cake.", "I like tea.", "I live in Lisbon.")
    tally = ledger.extract(Failing("tea"))
    assert (tally.read, tally.failed) == (2, 1)
    assert texts(ledger) == {"User likes cake.", "User lives in Lisbon."}
    fails_to_the_end(ledger, clock, Failing("tea"))
    ledger.remember({"id": "4", "text": "I like rain."}, extractor=Failing("tea"))
    assert "User likes rain." in texts(ledger)


class Broken(Plain):
    """Falls over tea."""

    identity = ExtractorId("broken", "1", "4" * 64)

    def extract(self, passage: Passage) -> tuple[Proposal, ...]:
        """Raises what no extractor should."""
        if "tea" in passage.text:
            raise IndexError("tuple index out of range")
        return super().extract(passage)


def test_an_extractor_that_breaks_has_failed_and_stops_no_other(ledger: affidavit.Ledger) -> None:
    hear(ledger, "I like cake.", "I like tea.", "I live in Lisbon.")
    tally = ledger.extract(Broken())
    assert (tally.read, tally.failed) == (2, 1)
    assert texts(ledger) == {"User likes cake.", "User lives in Lisbon."}


def test_the_failure_of_one_extractor_is_no_others(ledger: affidavit.Ledger) -> None:
    hear(ledger, "I like tea.")
    ledger.extract(Failing())
    assert ledger.extract(Plain()).derived == 1


def test_a_failed_and_then_successful_reading_leaves_no_duplicate(ledger: affidavit.Ledger, clock: Clock) -> None:
    flaky = Flaky()
    hear(ledger, "I like tea. I live in Lisbon.")
    ledger.extract(flaky)
    flaky.down = False
    assert ledger.extract(flaky).read == 0
    clock.moves(BACKOFF[0])
    assert ledger.extract(flaky).derived == 2
    assert types(ledger).count("claim-derived") == 2
    assert [len(ledger.why(claim.id).sources) for claim in ledger.claims()] == [1, 1]
    assert [ledger.show(claim.id).state["signals"] for claim in ledger.claims()] == [0, 0]
    before = ledger.position
    assert ledger.extract(flaky).read == 0
    ledger.extract(flaky, again=True)
    assert ledger.position == before


def test_a_failure_in_one_chunk_keeps_nothing_of_the_message(ledger: affidavit.Ledger) -> None:
    class HalfWay(Plain):
        identity = ExtractorId("half way", "1", "5" * 64)

        def extract(self, passage: Passage) -> tuple[Proposal, ...]:
            if passage.chunk.start:
                raise affidavit.ExtractionError("no more tokens")
            return super().extract(passage)

    hear(ledger, "I like tea.\n\nI live in Lisbon.")
    tally = ledger.extract(HalfWay())
    assert (tally.failed, tally.derived, ledger.claims()) == (1, 0, [])


def test_a_revision_is_read_at_once_whatever_failed_before(ledger: affidavit.Ledger, clock: Clock) -> None:
    hear(ledger, "I like tea.")
    fails_to_the_end(ledger, clock, Failing("tea"))
    hear(ledger, "I like cake.")
    assert ledger.extract(Failing("tea")).derived == 1
    assert ledger.inbox() == []


def test_a_failure_survives_a_restart(ledger: affidavit.Ledger, tmp_path: Path, clock: Clock) -> None:
    hear(ledger, "I like tea.")
    ledger.extract(Failing())
    with affidavit.open(tmp_path / "ledger", clock=clock) as again:
        assert again.extract(Failing()).failed == 0
        clock.moves(BACKOFF[0])
        assert again.extract(Failing()).failed == 1


# -- what is read ------------------------------------------------------------------------------------------------------


def test_what_was_read_is_not_read_again(ledger: affidavit.Ledger) -> None:
    hear(ledger, "I like tea.", "I live in Lisbon.")
    assert ledger.extract(Plain()).read == 2
    before = ledger.position
    assert ledger.extract(Plain()).read == 0
    assert ledger.position == before


def test_again_reads_all_and_adds_nothing_to_what_it_said(ledger: affidavit.Ledger) -> None:
    hear(ledger, "I like tea.", "I live in Lisbon.", "Good morning.")
    ledger.extract(Plain())
    before = ledger.position
    tally = ledger.extract(Plain(), again=True)
    assert (tally.read, tally.derived, tally.reaffirmed, ledger.position) == (3, 0, 0, before)


def test_again_takes_nothing_away(ledger: affidavit.Ledger) -> None:
    hear(ledger, "I like tea.")
    ledger.extract(Plain())
    ledger.extract(Witness(), again=True)
    assert texts(ledger) == {"User likes tea."}


def test_another_extractor_reads_for_itself_and_moves_no_counter(ledger: affidavit.Ledger) -> None:
    hear(ledger, "I like tea.")
    ledger.extract(Plain())
    (claim,) = ledger.claims()
    before = ledger.show(claim.id).state
    assert ledger.extract(Failing("nothing")).derived == 1
    assert ledger.show(claim.id).state == before
    assert {source.extractor for source in ledger.why(claim.id).sources} == {"plain@1/00000000", "failing@1/00000000"}


def test_a_reading_without_claims_is_complete(ledger: affidavit.Ledger) -> None:
    hear(ledger, "Good morning.")
    assert ledger.extract(Plain()).read == 1
    assert ledger.evidence()[0].readings == ["plain@1/00000000 completed (revision 1)"]


@pytest.mark.parametrize("role", ["assistant", "tool", "system"])
def test_only_the_users_words_are_shown_to_an_extractor(ledger: affidavit.Ledger, role: str) -> None:
    hear(ledger, "I like tea.", role=role)
    witness = Witness()
    for again in (False, True):
        assert ledger.extract(witness, again=again).read == 0
    assert witness.shown == []


def test_a_summary_is_read_and_is_no_testimony(ledger: affidavit.Ledger) -> None:
    hear(ledger, "I like tea.", summary=True)
    ledger.extract(Plain())
    (claim,) = ledger.claims()
    assert (claim.confidence, ledger.show(claim.id).state["basis"]) == (0.6, "summary")
    assert ledger.show(claim.id).state["sources"] == 0


def test_a_persons_assertion_is_not_derived_from_again(ledger: affidavit.Ledger) -> None:
    ledger.remember("I live in Lisbon.", as_claim=True)
    assert ledger.extract(Plain()).derived == 0
    assert texts(ledger) == {"I live in Lisbon."}


def test_an_extractor_is_shown_the_newest_revision_in_chunks_with_what_is_known(ledger: affidavit.Ledger) -> None:
    hear(ledger, "Old words.", time="2026-11-30T12:00:00Z")
    text = 'I like tea.\n\n> I like cake.\n\nShe said "one two three four five six" there.'
    hear(ledger, text, time="2026-11-30T12:00:00Z")
    witness = Witness()
    ledger.extract(witness)
    assert {passage.text for passage in witness.shown} == {text}
    assert [text[passage.chunk.start : passage.chunk.end] for passage in witness.shown] == text.split("\n\n")
    (adopted,) = {passage.adopted for passage in witness.shown}
    assert [text[span.start : span.end] for span in adopted] == ["> I like cake.", '"one two three four five six"']
    assert {(passage.role, passage.occurred_at) for passage in witness.shown} == {("user", 1_796_040_000 * SECOND)}


def test_spans_count_from_the_beginning_of_the_message(ledger: affidavit.Ledger) -> None:
    hear(ledger, "🍵 你好。" * 600 + "\n\nI live in Lisbon.")
    ledger.extract(Plain())
    (source,) = ledger.why(ledger.claims()[0].id).sources
    assert (source.quote, source.start) == ("I live in Lisbon", 600 * 5 + 2)


def test_a_message_revised_while_it_was_read_is_read_again(ledger: affidavit.Ledger) -> None:
    class Slow(Plain):
        identity = ExtractorId("slow", "1", "6" * 64)
        revised = False

        def extract(self, passage: Passage) -> tuple[Proposal, ...]:
            if not self.revised:
                self.revised = True
                hear(ledger, "I like cake.")
            return super().extract(passage)

    hear(ledger, "I like tea.")
    slow = Slow()
    assert ledger.extract(slow).refused[0].rule == "revision"
    assert ledger.claims() == []
    assert ledger.extract(slow).derived == 1
    assert texts(ledger) == {"User likes cake."}


def test_only_the_scope_asked_for_is_read(ledger: affidavit.Ledger) -> None:
    hear(ledger, "I like tea.")
    other = ledger.at("ben")
    other.open_scope("ben")
    assert other.extract(Plain()).read == 0
    assert ledger.extract(Plain()).read == 1


def test_a_run_counts_what_came_of_it(ledger: affidavit.Ledger) -> None:
    hear(ledger, "I live in Lisbon.", "I live in Porto.", "I live in Porto. I like tea.")
    told: list[int] = []
    tally = ledger.extract(Plain(), progress=told.append)
    assert (tally.read, tally.derived, tally.superseded, tally.reaffirmed) == (3, 3, 1, 1)
    assert (told, tally.position) == ([1, 2, 3], ledger.position)
    assert len(tally.claims) == 3
