"""Extraction: what an extractor has not read yet, it reads; what it proposes goes through the one door.

The extractor runs outside any lock, on the evidence as it was read; the decision is taken inside, on the evidence as it
is then. An extractor that fails costs only the passage's evidence: the failure is recorded, backs off, and others go on.
"""

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

import msgspec

from affidavit.domain.chunks import chunk
from affidavit.domain.claims import ClaimDerived, ClaimQuarantined, ClaimReaffirmed, ClaimSuperseded
from affidavit.domain.derivation import DERIVABLE_BASES, ExtractionCompleted
from affidavit.domain.errors import ExtractionError
from affidavit.domain.events import Event
from affidavit.domain.proposals import Extractor, Passage, Proposal, Span
from affidavit.domain.roles import Actor
from affidavit.domain.scopes import WriteRefused
from affidavit.journal.log import Log, Receipt
from affidavit.journal.reading import EvidenceFields, EvidenceState, Reader
from affidavit.journal.verbs import Reading, take_readings

logger = logging.getLogger("affidavit.extraction")
EXTRACTOR = Actor("extractor", "extraction")


@dataclass(slots=True)
class Tally:
    """What a run of extraction did. `claims` are ids, in order, each once; counts are of events, in `events` by type."""

    read: int = 0
    failed: int = 0
    derived: int = 0
    reaffirmed: int = 0
    superseded: int = 0
    quarantined: int = 0
    refused: list[WriteRefused] = field(default_factory=list)
    claims: dict[bytes, None] = field(default_factory=dict)
    events: Counter[str] = field(default_factory=Counter)
    position: int = 0

    def add(self, reading: Reading, receipt: Receipt) -> None:
        """Counts one reading and what came of it."""
        self.read += reading.failure is None
        self.failed += reading.failure is not None
        self.position = max(self.position, receipt.position + receipt.count - 1)
        self.events.update(event.type_name.partition(".")[0] for event in receipt.events)
        for event in receipt.events:
            self._count(event)

    def _count(self, event: Event) -> None:
        match event:
            case ClaimDerived():
                self.derived += 1
            case ClaimReaffirmed():
                self.reaffirmed += 1
            case ClaimSuperseded():
                self.superseded += 1
            case ClaimQuarantined():
                self.quarantined += 1
            case WriteRefused():
                self.refused.append(event)
            case ExtractionCompleted():
                self.claims.update(dict.fromkeys(event.claims))
            case _:
                pass


@dataclass(frozen=True, slots=True)
class Unread:
    """Evidence that an extractor has to read: its id, newest revision, role, adopted spans, text and time."""

    item: bytes
    revision: int
    state: EvidenceState
    text: str
    adopted: tuple[Span, ...]


def extract(
    log: Log,
    scope: bytes,
    extractor: Extractor,
    *,
    again: bool = False,
    items: Iterable[bytes] | None = None,
    now: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> Tally:
    """Lets the extractor read what it has not read yet, or all of it `again`; returns what came of it.

    Only evidence that claims may be derived from is read. A failed reading is tried again when its back-off is over; a
    dead letter is left to a person, or to `again`. `now` is the moment it is judged at, the clock's unless told.
    """
    tally = Tally()
    with log.datastore.read() as connection:
        moment = log.clock() if now is None else now
        unread = _unread(Reader(connection, log.vault), scope, extractor, moment, again=again, items=items)
        answers = (read(extractor, evidence) for evidence in unread)
        for done, (reading, receipt) in enumerate(take_readings(log, scope, answers, EXTRACTOR, now), 1):
            tally.add(reading, receipt)
            if progress:
                progress(done)
    return tally


def read(extractor: Extractor, evidence: Unread) -> Reading:
    """Returns the extractor's answer about one piece of evidence, chunk by chunk, or its failure."""
    name = str(extractor.identity)
    proposals: list[Proposal] = []
    try:
        for span in chunk(evidence.text):
            passage = Passage(
                text=evidence.text,
                chunk=span,
                role=evidence.state.role,  # type: ignore[arg-type]
                adopted=evidence.adopted,
                occurred_at=evidence.state.occurred_at,
            )
            proposals.extend(_sound(proposal) for proposal in extractor.extract(passage))
    except ExtractionError as error:
        logger.warning("extractor %s failed on evidence %s", name, evidence.item.hex()[:24])
        return Reading(evidence.item, evidence.revision, name, failure=str(error))
    except Exception as error:
        # An extractor is anyone's code. What it did not foresee in one message must not cost the others theirs.
        # The error's own words may quote the evidence, so only its class is told.
        logger.error("extractor %s broke on evidence %s (%s)", name, evidence.item.hex()[:24], type(error).__name__)  # noqa: TRY400
        return Reading(evidence.item, evidence.revision, name, failure=f"{type(error).__name__}, which it did not foresee")
    return Reading(evidence.item, evidence.revision, name, tuple(proposals))


def _sound(proposal: Proposal) -> Proposal:
    """Returns a proposal that fits the schema of answers. Raises ExtractionError for one that does not."""
    try:
        checked = msgspec.convert(msgspec.to_builtins(proposal), Proposal)
        for text in (checked.text, checked.quote, checked.entity, checked.attribute, checked.value):
            text.encode()
    except (msgspec.ValidationError, TypeError, UnicodeEncodeError) as error:
        msg = f"an answer does not fit the schema of proposals ({type(error).__name__})"
        raise ExtractionError(msg) from error
    if not checked.entity.strip() or not (checked.entity + checked.attribute + checked.value).isprintable():
        raise ExtractionError("an answer names no entity, or holds a line break or control character")
    return checked


def _unread(
    reader: Reader,
    scope: bytes,
    extractor: Extractor,
    now: int,
    *,
    again: bool,
    items: Iterable[bytes] | None,
) -> Iterator[Unread]:
    name = str(extractor.identity)
    for item in reader.evidence_items(scope) if items is None else items:
        found = reader.last(item)
        if found is None or not isinstance(found.fields, EvidenceFields):
            continue
        state = found.fields.state
        if state.basis not in DERIVABLE_BASES or not (again or _is_due(state, name, now)):
            continue
        content = reader.message(state.contents[-1])
        adopted = tuple(Span(start, end) for start, end in content["adopted"])
        yield Unread(item, state.revision, state, content["text"], adopted)


def _is_due(state: EvidenceState, extractor: str, now: int) -> bool:
    last = next((reading for reading in state.readings if reading.extractor == extractor), None)
    if last is None or last.revision != state.revision:
        return True
    return last.outcome == "failed" and (last.retry_at or 0) <= now
