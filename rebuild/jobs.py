"""Jobs: what is read by an extractor that asks a model, or says what its claims replace, one message after the other.

A job is one piece of evidence for one extractor: pending, running while a program holds its lease, then done or failed. A
failed one is tried again after its back-off, and paused in the end. All of it follows from the log and the leases: a program
that is killed leaves its job pending. A model is asked so many times an hour and no more; the rest stays pending.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from threading import Lock

from affidavit.domain.chunks import chunk
from affidavit.domain.proposals import Extractor, ExtractorId, Shown
from affidavit.domain.readings import Seen
from affidavit.domain.times import SECOND
from affidavit.journal.log import Log
from affidavit.journal.reading import EvidenceFields, Reader
from affidavit.journal.verbs import take_readings
from affidavit.rebuild.extraction import EXTRACTOR, Tally, Unread, legible, read, state_of_unread, unread
from affidavit.rebuild.lease import is_read, reading
from affidavit.rebuild.mentioned import Mentioned

HOUR = 3600 * SECOND


@dataclass(frozen=True, slots=True)
class Jobs:
    """How an extractor's work in a scope stands: jobs by their state, and the calls of the last hour against its budget.

    `paused` are those of the failed ones that nobody tries again by itself. The budget is 0 for one that asks no model.
    """

    extractor: str
    pending: int = 0
    running: int = 0
    done: int = 0
    failed: int = 0
    paused: int = 0
    calls: int = 0
    calls_an_hour: int = 0


@dataclass(slots=True)
class Calls:
    """The calls that readings of one scope made in the hour before a moment, read from the log as it grows."""

    scope: bytes
    position: int = 0
    _made: dict[int, tuple[int, int]] = field(default_factory=dict)
    _one_at_a_time: Lock = field(default_factory=Lock)

    def before(self, reader: Reader, now: int, clock: int) -> int:
        """Returns how often models were asked in the hour that ends `now`; `clock` dates what was recorded."""
        with self._one_at_a_time:
            end = reader.head().position
            begin = self.position or _recorded_before(reader, min(now, clock) - HOUR)
            for entry in reader.entries(begin, end):
                fields = entry.fields
                if isinstance(fields, EvidenceFields) and fields.calls and entry.body.scope == self.scope:
                    self._made[entry.record.position] = entry.body.occurred_at, fields.calls
            self.position = max(self.position, end)
            return sum(calls for at, calls in self._made.values() if now - HOUR < at <= now)


class Kept:
    """What a caller that extracts often keeps of one scope: the facts a message may mention, and the calls made."""

    def __init__(self, scope: bytes) -> None:
        self.scope = scope
        self.mentioned = Mentioned(scope)
        self.calls = Calls(scope)


def work(
    log: Log,
    scope: bytes,
    extractor: Extractor,
    tally: Tally,
    *,
    again: bool = False,
    items: Iterable[bytes] | None = None,
    now: int | None = None,
    progress: Callable[[int], None] | None = None,
    kept: Kept | None = None,
) -> Tally:
    """Lets the extractor read what is due, each piece of evidence under its lease, on what is known by then.

    `kept` is what this caller keeps of the scope. What another program is at is left to it; when the hour's calls
    are spent, the rest is left, and told as pending.
    """
    name, folder = str(extractor.identity), Path(log.datastore.pool.db_name).parent
    kept, done = kept or Kept(scope), count(1)
    with log.datastore.read() as connection:
        waiting = _due(Reader(connection, log.vault), scope, extractor.identity, _moment(log, now), again=again, items=items)
    for at, item in enumerate(waiting):
        with reading(folder, item, name) as alone:
            if not alone:
                tally.running += 1
                continue
            with log.datastore.read() as connection:
                reader, moment = Reader(connection, log.vault), _moment(log, now)
                evidence = unread(reader, item, extractor.identity, moment, again=again)
                if evidence is None:
                    continue
                if not _affordable(
                    reader, scope, extractor.identity, evidence, kept.calls.before(reader, moment, log.clock())
                ):
                    tally.pending += len(waiting) - at
                    break
                shown = _mentioned(reader, extractor.identity, evidence, kept.mentioned)
            answer = read(extractor, evidence, tuple(one for one, _ in shown), tuple(seen for _, seen in shown))
            for took, receipt in take_readings(log, scope, [answer], EXTRACTOR, now):
                tally.add(took, receipt)
        if progress:
            progress(next(done))
    return tally


def jobs(log: Log, scope: bytes, extractor: Extractor, now: int) -> Jobs:
    """Returns how the extractor's work in a scope stands at a moment. It reads the state of every piece of evidence."""
    identity, folder = extractor.identity, Path(log.datastore.pool.db_name).parent
    counts = dict.fromkeys(("pending", "running", "done", "failed", "paused"), 0)
    with log.datastore.read() as connection:
        reader = Reader(connection, log.vault)
        for item in reader.evidence_items(scope):
            found = reader.last(item)
            if found is None or not isinstance(found.fields, EvidenceFields) or not legible(found.fields.state, identity):
                continue
            state = found.fields.state
            last = next((one for one in state.readings if one.extractor == str(identity)), None)
            if last is not None and last.revision == state.revision and last.outcome == "completed":
                counts["done"] += 1
            elif is_read(folder, item, str(identity)):
                counts["running"] += 1
            elif last is None or last.revision != state.revision:
                counts["pending"] += 1
            else:
                counts["failed"] += 1
                counts["paused"] += last.outcome == "dead letter"
        asks = identity.method == "model"
        made = Calls(scope).before(reader, now, log.clock()) if asks else 0
        budget = reader.policy(scope).extraction.calls_an_hour if asks else 0
    return Jobs(str(identity), **counts, calls=made, calls_an_hour=budget)


def _due(
    reader: Reader, scope: bytes, extractor: ExtractorId, now: int, *, again: bool, items: Iterable[bytes] | None
) -> list[bytes]:
    every = reader.evidence_items(scope) if items is None else items
    return [item for item in every if state_of_unread(reader, item, extractor, now, again=again) is not None]


def _affordable(reader: Reader, scope: bytes, extractor: ExtractorId, evidence: Unread, made: int) -> bool:
    """Tells whether the hour's calls are enough for all of a message; a longer one waits for an hour of its own."""
    if extractor.method != "model":
        return True
    budget = reader.policy(scope).extraction.calls_an_hour
    return made == 0 or made + len(chunk(evidence.text)) <= budget


def _mentioned(reader: Reader, extractor: ExtractorId, evidence: Unread, known: Mentioned) -> tuple[tuple[Shown, Seen], ...]:
    if not extractor.replaces:
        return ()
    return known.by(reader, evidence.state, evidence.text)


def _moment(log: Log, now: int | None) -> int:
    return log.clock() if now is None else now


def _recorded_before(reader: Reader, moment: int) -> int:
    """Returns the last position that was recorded before a moment, 0 for none."""
    row = reader.connection.execute(
        "SELECT position FROM records WHERE recorded_at < ? ORDER BY position DESC LIMIT 1", (moment,)
    ).fetchone()
    return int(row[0]) if row else 0
