"""Verification of a whole log: every body, link, version, sealed text and index row, and the remembered head.

It reads once, in order, and collects what does not fit. Then it looks for the root: a record that was edited, two that
were swapped, one that is missing or stands twice, an end that was cut, a sealed text that is foreign or gone, an index
row that is wrong, a file that SQLite finds damaged. What merely follows from a root fault is folded beneath it. It reports
every fault, and changes nothing. The chain alone, digests and links, is a level of its own that reads less. Neither keeps
what grows with the records in memory: the index is built beside, and both are read in order and compared row by row.
"""

import re
import sqlite3
import struct
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple

from blake3 import blake3

from affidavit.domain.errors import AffidavitError, KeyMissing
from affidavit.journal import encoding, index, records
from affidavit.journal.encoding import Body
from affidavit.journal.indexing import Builder, Datastore, is_earlier
from affidavit.journal.reading import FIELDS
from affidavit.journal.records import COLUMNS, PLACE, Recorded, chain
from affidavit.journal.upcast import upcast
from affidavit.journal.vault import Vault

PAIRS_TRIED = 64
"""How many records that do not fit are tried against each other for a swap."""
ROWS_NAMED = 20
"""How many differing index rows are named one by one, and how many sentences of SQLite's on a damaged file are read."""
CACHE_KIB = 8 * 1024
"""How much of the log file SQLite keeps in memory: each page is read once, or soon after."""

_CHAIN = "SELECT position, scope_number, recorded_at, body, digest, link FROM records ORDER BY position"
_WHOLE = (
    "SELECT r.position, r.scope_number, r.recorded_at, r.body, r.digest, r.link, r.stream, r.version, r.event_id, r.type, "
    "b.content FROM records r LEFT JOIN blobs b ON b.position = r.position ORDER BY r.position"
)
_Row = tuple[Any, ...]
_TYPES = (int, int, bytes, bytes, bytes)
"""Of a record's scope number, time, body, digest and link."""
_OF_RECORDS = frozenset({"missing", "cut", "doubled", "swapped", "edited"})
_INDEX = re.compile(r"index (\w+)")
_RANKS = {type(None): 0, int: 1, float: 1, str: 2, bytes: 3}
"""How SQLite orders values of several types."""


@dataclass(slots=True)
class Fault:
    """One root fault: its class, its position (None for one of the whole), a sentence, and what follows from it."""

    kind: str
    position: int | None
    sentence: str
    consequences: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Report:
    """What verification found: how much it read, the head it ended at, and the root faults by position.

    `earlier` says that the log is of an earlier format, whose index and triggers were not compared: they are made anew
    when the ledger is opened for anything else.
    """

    records: int
    position: int
    head: str
    remembered: int
    faults: list[Fault] = field(default_factory=list)
    earlier: bool = False

    @property
    def clean(self) -> bool:
        """Tells whether nothing is wrong."""
        return not self.faults


class _Misfit(NamedTuple):
    """A record whose link does not follow from the one before it."""

    record: Recorded
    digest: bytes
    previous: bytes


def verify(datastore: Datastore, vault: Vault, *, chain_only: bool = False) -> Report:
    """Checks a ledger's log against itself, its keys and the head remembered beside them.

    With `chain_only` it checks that positions are dense, that bodies have their digests and links follow from one another,
    that no record is dated before its predecessor, and that the remembered heads are in the log. It does not check what no
    link covers: the columns stream, version, event id and type, sealed texts and keys, the decision index, the triggers
    and SQLite's own structures; nor what bodies say: their shape, their canonical form, versions of streams and numbers
    in scopes. No key but the remembered head is read.

    Raises sqlite3.DatabaseError where the file cannot be read and SQLite's own check, which is no part of `chain_only`,
    does not say why.
    """
    noted = datastore.noted()  # Asked first, so that it is never ahead of the log that is read.
    with datastore.read() as connection, _narrow(connection):
        verifier = _Verifier(connection, vault, noted)
        return verifier.run_chain() if chain_only else verifier.run()


@contextmanager
def _narrow(connection: sqlite3.Connection) -> Iterator[None]:
    """Sets a small page cache for one pass, and puts back what it was: the thread's other reads use the connection too."""
    before = connection.execute("PRAGMA cache_size").fetchone()[0]
    connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
    try:
        yield
    finally:
        connection.execute(f"PRAGMA cache_size = {before}")


class _Verifier:
    def __init__(self, connection: sqlite3.Connection, vault: Vault, noted: tuple[int, bytes] | None) -> None:
        self.connection = connection
        self.vault = vault
        self.noted = noted
        self.faults: list[Fault] = []
        self.misfits: list[_Misfit] = []
        self.shape: list[Fault] = []
        self.texts: list[Fault] = []
        self.damage: list[Fault] = []
        self.gone: set[str] = set()
        self.earlier = is_earlier(connection)
        self.involved: dict[int, Fault] = {}
        self.read = 0
        self.head = records.Head(0, records.GENESIS, 0)
        self.canonical = encoding.CanonicalForm()

    def run_chain(self) -> Report:
        """Reads digests and links, and returns the report."""
        self._read_chain()
        self._name_misfits()
        self._check_remembered()
        return self._report()

    def run(self) -> Report:
        """Reads everything and returns the report."""
        if not self.earlier:
            self._compare_schema()
        self._find_damage()
        with closing(Builder()) as builder:
            try:
                self._read_whole(builder)
                self._name_misfits()
                self._check_remembered()
                self._check_end()
                self._fold_shape()
                if not self.earlier:
                    self._compare_index(builder)
            except sqlite3.DatabaseError as error:
                if not self.damage:
                    raise
                self.damage[0].consequences.append(f"reading ended after position {self.head.position}: {error}")
        return self._report()

    def _report(self) -> Report:
        remembered = self.vault.keys.remembered_head()
        faults = sorted((*self.faults, *self.damage), key=lambda fault: (fault.position or 2**62, fault.kind))
        kept = remembered[0] if remembered else 0
        return Report(self.read, self.head.position, self.head.link.hex(), kept, faults, self.earlier)

    def _find_damage(self) -> None:
        """Asks SQLite whether the files are sound; what it says of one index is one fault, and so is all the rest."""
        rows = self.connection.execute(f"PRAGMA integrity_check({ROWS_NAMED})").fetchall()
        for file, said in (("log", [row[0] for row in rows]), ("keys", self.vault.keys.damage(ROWS_NAMED))):
            found: dict[str, Fault] = {}
            for sentence in (line for text in said for line in text.splitlines() if line != "ok"):
                named = _INDEX.search(sentence)
                name = named.group(1) if named else ""
                if name in found:
                    found[name].consequences.append(sentence)
                elif name:
                    found[name] = Fault("index", None, f"SQLite's index {name} of the {file} is damaged: {sentence}")
                else:
                    found[name] = Fault("schema", None, f"the file of the {file} is damaged: {sentence}")
            self.damage.extend(found.values())

    def _compare_schema(self) -> None:
        """Compares the triggers that guard the records, and the names of the tables, with what a new log gets."""
        query = "SELECT type, name, sql FROM sqlite_master WHERE type IN ('table', 'trigger')"
        with closing(sqlite3.connect(":memory:")) as new:
            for statement in (*records.TABLES, *index.TABLES):
                new.execute(statement)
            wanted = {row[:2]: row[2] for row in new.execute(query)}
        stored = {row[:2]: row[2] for row in self.connection.execute(query)}
        self.gone = {name for kind, name in wanted.keys() - stored.keys() if kind == "table"}
        self.damage.extend(Fault("schema", None, f"the table {name} is gone") for name in sorted(self.gone))
        for kind, name in sorted(wanted.keys() | stored.keys()):
            if kind == "trigger" and stored.get((kind, name)) != wanted.get((kind, name)):
                known = (kind, name) in wanted
                what = "is gone" if (kind, name) not in stored else "was changed" if known else "is not one of ours"
                self.faults.append(Fault("schema", None, f"the trigger {name}, which guards the records, {what}"))

    def _read_chain(self) -> None:
        """Reads every digest and link, with little more than the two hashes for each record that fits."""
        place = PLACE.pack
        hasher = blake3()  # One for all: to make one is half of what a short hash costs.
        reset, update, finish = hasher.reset, hasher.update, hasher.digest
        end, link, time = self.head
        for position, number, recorded_at, body, digest, stored in self.connection.execute(_CHAIN):
            fits = False
            try:
                if position == end + 1 and recorded_at >= time:
                    reset()
                    update(body)
                    if finish() == digest:
                        reset()
                        update(link + place(position, number, recorded_at) + digest)
                        fits = finish() == stored
            except (TypeError, struct.error):
                pass  # A column holds another type than its own; `_check_link` says so.
            if fits:
                self.read += 1
                end, link, time = position, stored, recorded_at
            else:
                self.head = records.Head(end, link, time)
                self._check_link(position, number, recorded_at, body, digest, stored)
                end, link, time = self.head
        self.head = records.Head(end, link, time)

    def _read_whole(self, builder: Builder) -> None:
        """Reads everything of every record, and builds the index beside."""
        self.vault.keys.load_all()
        for row in self.connection.execute(_WHOLE):
            if self._check_link(*row[:6]):
                self._check_body(row, builder)
        builder.finish()
        for position, sentence in builder.odd:
            self._misshapen(position, sentence)

    def _check_link(self, position: int, number: int, recorded_at: int, body: bytes, digest: bytes, link: bytes) -> bool:
        """Checks a record's own digest, and whether its link follows from the record before it.

        False where its columns hold other types than their own, as a table that was made anew may: it says nothing then.
        """
        self.read += 1
        expected = self.head.position + 1
        gap = position - expected
        if gap:
            what = f"record {expected} is missing" if gap == 1 else f"records {expected} to {position - 1} are missing"
            self.faults.append(Fault("missing", expected, what))
        if (type(number), type(recorded_at), type(body), type(digest), type(link)) != _TYPES:
            self.faults.append(Fault("edited", position, "a column holds a value of another type than its own"))
            self.head = records.Head(position, self.head.link, self.head.recorded_at)
            return False
        own = blake3(body).digest()
        # What a record after a gap should follow is gone, so its link says nothing; its own digest still does.
        fits = own == digest and (
            gap != 0
            or (chain(self.head.link, position, number, recorded_at, own) == link and recorded_at >= self.head.recorded_at)
        )
        if not fits:
            self.misfits.append(_Misfit(self._record(position), own, self.head.link))
        self.head = records.Head(position, link, recorded_at)
        return True

    def _record(self, position: int) -> Recorded:
        query = f"SELECT {COLUMNS} FROM records WHERE position = ?"  # noqa: S608 - constants
        return Recorded(*self.connection.execute(query, (position,)).fetchone())

    def _check_body(self, row: tuple[Any, ...], builder: Builder) -> None:
        """Checks what a body says against the record's columns and its sealed text, and adds it to the index beside."""
        position, number, _, data, _, _, stream, version, event_id, type_name, blob = row
        try:
            body = encoding.body(data)
            value = self.canonical.read(data)
            public = encoding.decode(body.public) if value is None else value["public"]
            newest, public = upcast(body.type, public)
            FIELDS[newest]
        except (ValueError, KeyError, TypeError, RecursionError):
            self._misshapen(position, "its body is not that of a record")
            return
        if value is None:
            self._misshapen(position, "its body is not in canonical form")
        if body.id != event_id or body.version != version or body.type != type_name:
            self._misshapen(position, "its columns say something else than its body")
        if body.sealed is not None or blob is not None:
            self._check_blob(position, body, blob)
        builder.add(position, stream, number, body, public)

    def _check_blob(self, position: int, body: Body, blob: bytes | None) -> None:
        if body.sealed is None or blob is None:
            fault = (
                Fault("foreign text", position, "a sealed text stands where the record has none")
                if body.sealed is None
                else Fault("missing text", position, "its sealed text is gone, and no erasure says so")
            )
            self.texts.append(fault)
            return
        if not isinstance(blob, bytes) or blake3(blob).digest() != body.sealed:
            self.texts.append(Fault("foreign text", position, "its sealed text is not the one that was written"))
            return
        try:
            self.vault.open(blob, scope=body.scope, event_id=body.id, event_type=body.type)
        except KeyMissing as error:
            self.texts.append(Fault("missing key", position, error.message))
        except AffidavitError as error:
            self.texts.append(Fault("foreign text", position, error.message))

    def _misshapen(self, position: int, sentence: str) -> None:
        self.shape.append(Fault("edited", position, sentence))

    def _name_misfits(self) -> None:
        """Finds what happened to the records that do not fit: doubled, swapped, else edited."""
        copies = self._copies()
        swapped = self._swaps()
        for misfit in self.misfits:
            position = misfit.record.position
            other = swapped.get(position, 0)
            if other > position:
                sentence = f"records {position} and {other} are in each other's place"
                self.faults.append(Fault("swapped", position, sentence))
                self.involved[other] = self.faults[-1]
            elif not other and position in copies:
                self.faults.append(Fault("doubled", position, f"it is a second copy of record {copies[position]}"))
            elif not other and not self._follows(misfit, swapped):
                self.faults.append(Fault("edited", position, "its body, time or place is not what was written"))
        roots = {fault.position for fault in self.faults}
        for misfit in self.misfits:
            position = misfit.record.position
            if position not in roots and not (position in swapped and swapped[position] in roots):
                self._fold(position, f"the link of record {position} does not follow from the one before it")

    def _follows(self, misfit: _Misfit, swapped: dict[int, int]) -> bool:
        """Tells whether a misfit is only the echo of a fault just before it, whose own link was moved or changed."""
        before = misfit.record.position - 1
        sound = misfit.digest == misfit.record.digest
        return sound and (before in swapped or any(fault.position == before for fault in self.faults))

    def _copies(self) -> dict[int, int]:
        """Returns, for each misfit whose event stands at an earlier position too, that position."""
        found = {}
        for misfit in self.misfits:
            row = self.connection.execute(
                "SELECT min(position) FROM records WHERE position < ? AND (event_id = ? OR digest = ?)",
                (misfit.record.position, misfit.record.event_id, misfit.digest),
            ).fetchone()
            if row[0] is not None:
                found[misfit.record.position] = int(row[0])
        return found

    def _swaps(self) -> dict[int, int]:
        """Returns pairs of misfits that fit in each other's place, in both directions."""
        found: dict[int, int] = {}
        tried = self.misfits[:PAIRS_TRIED]
        for at, one in enumerate(tried):
            for other in tried[at + 1 :]:
                if _bodies_swapped(one, other) or _rows_swapped(one, other):
                    found[one.record.position] = other.record.position
                    found[other.record.position] = one.record.position
        return found

    def _check_remembered(self) -> None:
        """Compares the end of the log with the heads that are remembered: beside the keys, and by its last writer."""
        heads = ((self.vault.keys.remembered_head(), "beside the keys"), (self.noted, "by its last writer"))
        for (position, link), where in ((head, where) for head, where in heads if head is not None):
            if self.head.position < position:
                sentence = f"the log ends here, and position {position} is remembered {where}"
                if any(fault.kind == "cut" for fault in self.faults):
                    self._fold(self.head.position + 1, sentence)
                else:
                    self.faults.append(Fault("cut", self.head.position + 1, sentence))
                continue
            row = self.connection.execute("SELECT link FROM records WHERE position = ?", (position,)).fetchone()
            if row is not None and row[0] != link and not self.faults:
                sentence = f"its link is not the one that is remembered {where}"
                self.faults.append(Fault("edited", position, sentence))

    def _check_end(self) -> None:
        """Compares the end of the log with the heads and texts that its own tables name."""
        last = self.connection.execute("SELECT max(position) FROM streams").fetchone()[0] or 0
        if last > self.head.position:
            if not any(fault.kind == "cut" for fault in self.faults):
                sentence = f"the log ends here, and the stream heads go up to position {last}"
                self.faults.append(Fault("missing", self.head.position + 1, sentence))
            else:
                self._fold(self.head.position + 1, f"stream heads go up to position {last}")
        stray = self.connection.execute(
            "SELECT b.position FROM blobs b LEFT JOIN records r ON r.position = b.position WHERE r.position IS NULL",
        ).fetchall()
        for (position,) in stray:
            if not self._fold(position, f"the sealed text of position {position} has no record"):
                self.faults.append(Fault("foreign text", position, "a sealed text has no record"))

    def _fold_shape(self) -> None:
        """Puts what is odd of a record's text or shape beneath the fault that explains it, or makes it one of its own."""
        self.involved.update({fault.position: fault for fault in self.faults if fault.position is not None})
        for fault in self.texts:
            root = self.involved.get(fault.position or 0)
            if root is None:
                self.faults.append(fault)
            else:
                root.consequences.append(f"position {fault.position}: {fault.sentence}")
        for fault in self.shape:
            if not self._fold(fault.position or 0, f"position {fault.position}: {fault.sentence}"):
                self.faults.append(fault)

    def _fold(self, position: int, sentence: str) -> bool:
        """Adds a consequence to the nearest root fault at or before a position; False if there is none."""
        roots = [fault for fault in self.faults if fault.position is not None and fault.position <= position]
        roots = [fault for fault in roots if fault.kind not in {"foreign text", "missing text", "missing key"}]
        if not roots:
            return False
        max(roots, key=lambda fault: fault.position or 0).consequences.append(sentence)
        return True

    def _compare_index(self, builder: Builder) -> None:
        """Compares every index table with the one built anew; differences beneath a fault of records or file are its own."""
        root = next((fault for fault in self.faults if fault.kind in _OF_RECORDS), None)
        root = root or next(iter(self.damage), None)
        for table, key in index.COMPARED.items():
            if table in self.gone:
                continue
            stored = self.connection.execute(f"SELECT * FROM {table} ORDER BY {', '.join(key)}")  # noqa: S608 - our own
            columns = [column[0] for column in stored.description]
            wrong = _differences(stored, builder.rows(table), [columns.index(name) for name in key])
            if root is not None:
                count = sum(1 for _ in wrong)
                if count:
                    root.consequences.append(f"{count} row(s) of the index table {table} differ")
                continue
            for what, row in islice(wrong, ROWS_NAMED):
                self.faults.append(Fault("index", None, f"table {table}: {_row_text(row)} {what}"))


def _differences(stored: Iterable[_Row], built: Iterable[_Row], key: Sequence[int]) -> Iterator[tuple[str, _Row]]:
    """Yields what is wrong with a table, and the row; both come in the order of the key, so one row of each is held."""
    ours, theirs = iter(built), iter(stored)
    mine, other = next(ours, None), next(theirs, None)
    while mine is not None or other is not None:
        if mine == other:
            mine, other = next(ours, None), next(theirs, None)
        elif mine is None or (other is not None and _order(other, key) <= _order(mine, key)):
            assert other is not None
            yield "stands in the index and follows from no record", other
            other = next(theirs, None)
        else:
            yield "follows from the records and is not in the index", mine
            mine = next(ours, None)


def _order(row: _Row, key: Sequence[int]) -> list[tuple[int, Any]]:
    return [(_RANKS[type(row[at])], row[at]) for at in key]


def _row_text(row: _Row) -> str:
    cells = (cell.hex()[:16] if isinstance(cell, bytes) else str(cell) for cell in row)
    return f"({', '.join(cells)})"


def _bodies_swapped(one: _Misfit, other: _Misfit) -> bool:
    """Tells whether the two records carry each other's body, under their own links."""
    return _fits(one, one, other) and _fits(other, other, one)


def _fits(place: _Misfit, row: _Misfit, body: _Misfit) -> bool:
    record = row.record
    return chain(place.previous, place.record.position, record.scope_number, record.recorded_at, body.digest) == record.link


def _rows_swapped(one: _Misfit, other: _Misfit) -> bool:
    """Tells whether the two records stand whole in each other's place; the second follows the first or its neighbour."""
    first, second = one.record, other.record
    fits = chain(one.previous, first.position, second.scope_number, second.recorded_at, other.digest) == second.link
    before = second.link if second.position == first.position + 1 else other.previous
    back = chain(before, second.position, first.scope_number, first.recorded_at, one.digest) == first.link
    return fits and back
