"""Extraction: what an extractor has not read yet, it reads; what it proposes goes through the one door.

The extractor runs outside any lock, on the evidence as it was read; the decision is taken inside, on the evidence as it
is then. An extractor that fails costs only the passage's evidence: the failure is recorded, backs off, and others go on.
Rules read in bulk. An extractor that asks a model, or says what its claims replace, reads one message after the other
(`rebuild.jobs`): each under a lease, on the newest state, within the hour's calls.
"""

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec

from affidavit.domain.chunks import chunk
from affidavit.domain.claims import ClaimDerived, ClaimQuarantined, ClaimReaffirmed, ClaimSuperseded
from affidavit.domain.errors import ExtractionError, OutputError
from affidavit.domain.events import Event
from affidavit.domain.evidence import derivable
from affidavit.domain.proposals import Extractor, ExtractorId, Passage, Proposal, Shown, Span
from affidavit.domain.readings import ExtractionCompleted, ExtractionFailed, Failure, Seen
from affidavit.domain.roles import Actor
from affidavit.domain.scopes import WriteRefused
from affidavit.journal.log import Log, Receipt
from affidavit.journal.reading import EvidenceFields, EvidenceState, Reader
from affidavit.journal.verbs import Reading, take_readings

if TYPE_CHECKING:
    from affidavit.rebuild.jobs import Kept

logger = logging.getLogger("affidavit.extraction")
EXTRACTOR = Actor("extractor", "extraction")


@dataclass(slots=True)
class Tally:
    """What a run of extraction did. `claims` are ids, in order, each once; counts are of events, in `events` by type.

    `withheld` counts the replacements whose source was too weak, `pending` what was left because the hour's calls are spent,
    `running` what another program is at.
    """

    read: int = 0
    failed: int = 0
    withheld: int = 0
    pending: int = 0
    running: int = 0
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
        failed = reading.failure is not None or any(isinstance(event, ExtractionFailed) for event in receipt.events)
        self.read += not failed
        self.failed += failed
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
                self.withheld += event.withheld
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
    kept: "Kept | None" = None,
) -> Tally:
    """Lets the extractor read what it has not read yet, or all of it `again`; returns what came of it.

    Only evidence that claims may be derived from is read. A failed reading is tried again when its back-off is over; a
    dead letter is left to a person, or to `again`. `now` is the moment it is judged at, the clock's unless told. A caller
    that extracts often hands in what it has `kept` of the scope, for an extractor that asks a model or is shown claims.
    """
    tally = Tally()
    if extractor.identity.method == "model" or extractor.identity.replaces:
        from affidavit.rebuild.jobs import work  # noqa: PLC0415 - the rules need none of it

        return work(log, scope, extractor, tally, again=again, items=items, now=now, progress=progress, kept=kept)
    with log.datastore.read() as connection:
        moment = log.clock() if now is None else now
        unread = all_unread(Reader(connection, log.vault), scope, extractor.identity, moment, again=again, items=items)
        answers = (read(extractor, evidence) for evidence in unread)
        for done, (reading, receipt) in enumerate(take_readings(log, scope, answers, EXTRACTOR, now), 1):
            tally.add(reading, receipt)
            if progress:
                progress(done)
    return tally


def read(extractor: Extractor, evidence: Unread, shown: tuple[Shown, ...] = (), seen: tuple[Seen, ...] = ()) -> Reading:
    """Returns the extractor's answer about one piece of evidence, chunk by chunk, or its failure.

    `shown` are the claims that it is shown beside it, `seen` the same as the decision compares them.
    """
    identity, proposals, calls = extractor.identity, list[Proposal](), 0
    failure: str | None = None
    kind: Failure = ""
    try:
        for span in chunk(evidence.text):
            passage = Passage(
                text=evidence.text,
                chunk=span,
                role=evidence.state.role,  # type: ignore[arg-type]
                adopted=evidence.adopted,
                occurred_at=evidence.state.occurred_at,
                shown=shown,
            )
            calls += identity.method == "model"
            proposals.extend(_sound(proposal) for proposal in extractor.extract(passage))
    except ExtractionError as error:
        logger.warning("extractor %s failed on evidence %s", identity, evidence.item.hex()[:24])
        failure, kind = str(error), "output" if isinstance(error, OutputError) else ""
    except Exception as error:
        # An extractor is anyone's code. What it did not foresee in one message must not cost the others theirs.
        # The error's own words may quote the evidence, so only its class is told.
        name, place = type(error).__name__, evidence.item.hex()[:24]
        logger.error("extractor %s broke on evidence %s (%s)", identity, place, name)  # noqa: TRY400
        failure = f"{name}, which it did not foresee"
    return Reading(
        evidence.item,
        evidence.revision,
        str(identity),
        () if failure is not None else tuple(proposals),
        failure=failure,
        kind=kind,
        method=identity.method,
        shown=seen,
        calls=calls,
    )


def _sound(proposal: object) -> Proposal:
    """Returns a proposal that fits the schema of answers. Raises OutputError for one that does not.

    A field beyond the schema is as wrong as a missing one: nobody lends itself evidence, confidence or a verdict.
    """
    try:
        given = msgspec.to_builtins(proposal)
        checked = msgspec.convert(given, Proposal)
        for text in (checked.text, checked.quote, checked.entity, checked.attribute, checked.value, checked.replaces):
            text.encode()
    except (msgspec.ValidationError, TypeError, UnicodeEncodeError) as error:
        msg = f"an answer does not fit the schema of proposals ({type(error).__name__})"
        raise OutputError(msg) from error
    if type(proposal) is not Proposal and _beyond(given, msgspec.to_builtins(checked)):
        raise OutputError("an answer has a field beyond the schema of proposals")
    if not checked.entity.strip() or not (checked.entity + checked.attribute + checked.value).isprintable():
        raise OutputError("an answer names no entity, or holds a line break or control character")
    return checked


def _beyond(given: object, known: object) -> bool:
    """Tells whether there is a field in what was given that the schema does not know, at any depth."""
    if isinstance(given, Mapping) and isinstance(known, Mapping):
        return any(name not in known or _beyond(value, known[name]) for name, value in given.items())
    return False


def all_unread(
    reader: Reader,
    scope: bytes,
    extractor: ExtractorId,
    now: int,
    *,
    again: bool,
    items: Iterable[bytes] | None,
) -> Iterator[Unread]:
    """Yields what the extractor has to read, in the order of recording, or as `items` names it."""
    for item in reader.evidence_items(scope) if items is None else items:
        found = unread(reader, item, extractor, now, again=again)
        if found is not None:
            yield found


def unread(reader: Reader, item: bytes, extractor: ExtractorId, now: int, *, again: bool = False) -> Unread | None:
    """Returns a piece of evidence if the extractor has to read it now, else None."""
    state = state_of_unread(reader, item, extractor, now, again=again)
    if state is None:
        return None
    content = reader.message(state.contents[-1])
    adopted = tuple(Span(start, end) for start, end in content["adopted"])
    return Unread(item, state.revision, state, content["text"], adopted)


def state_of_unread(
    reader: Reader, item: bytes, extractor: ExtractorId, now: int, *, again: bool = False
) -> EvidenceState | None:
    """Returns the state of a piece of evidence if the extractor has to read it now, else None. Opens no text."""
    found = reader.last(item)
    if found is None or not isinstance(found.fields, EvidenceFields):
        return None
    state = found.fields.state
    return state if legible(state, extractor) and (again or _is_due(state, str(extractor), now)) else None


def legible(state: EvidenceState, extractor: ExtractorId) -> bool:
    """Tells whether an extractor may read evidence: a tool's observation is for one that can say what it changes."""
    return derivable(state) and (extractor.replaces or state.basis != "tool_observation")


def _is_due(state: EvidenceState, extractor: str, now: int) -> bool:
    last = next((reading for reading in state.readings if reading.extractor == extractor), None)
    if last is None or last.revision != state.revision:
        return True
    return last.outcome == "failed" and (last.retry_at or 0) <= now
