"""Verification of a whole log: every body, link, version, sealed text and index row, and the remembered head.

It reads once, in order, and collects what does not fit. Then it looks for the root: a record that was edited, two that
were swapped, one that is missing or stands twice, an end that was cut, a sealed text that is foreign or gone, an index
row that is wrong. What merely follows from a root fault is folded beneath it. It reports every fault, and changes nothing.
"""

import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from blake3 import blake3

from affidavit.domain.errors import AffidavitError, KeyMissing
from affidavit.journal import encoding, index, records
from affidavit.journal.encoding import Body
from affidavit.journal.reading import FIELDS, ClaimFields, EvidenceFields
from affidavit.journal.records import COLUMNS, Recorded, chain
from affidavit.journal.upcast import upcast
from affidavit.journal.vault import Vault

PAIRS_TRIED = 64
"""How many records that do not fit are tried against each other for a swap."""
ROWS_NAMED = 20
"""How many differing index rows are named one by one."""


@dataclass(slots=True)
class Fault:
    """One root fault: its class, its position (None for one of the whole), a sentence, and what follows from it."""

    kind: str
    position: int | None
    sentence: str
    consequences: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Report:
    """What verification found: how much it read, the head it ended at, and the root faults by position."""

    records: int
    position: int
    head: str
    remembered: int
    faults: list[Fault] = field(default_factory=list)

    @property
    def clean(self) -> bool:
        """Tells whether nothing is wrong."""
        return not self.faults


class _Misfit(NamedTuple):
    """A record whose link does not follow from the one before it."""

    record: Recorded
    digest: bytes
    previous: bytes


class Datastore(Protocol):
    """What verification needs of a datastore: one read transaction."""

    def read(self) -> AbstractContextManager[sqlite3.Connection]:
        """Yields a connection inside a read transaction."""
        ...

    def close(self) -> None:
        """Closes every connection."""
        ...


def verify(datastore: Datastore, vault: Vault) -> Report:
    """Checks a ledger's log against itself, its keys and the head remembered beside them."""
    with datastore.read() as connection:
        return _Verifier(connection, vault).run()


class _Verifier:
    def __init__(self, connection: sqlite3.Connection, vault: Vault) -> None:
        self.connection = connection
        self.vault = vault
        self.faults: list[Fault] = []
        self.misfits: list[_Misfit] = []
        self.shape: list[Fault] = []
        self.texts: list[Fault] = []
        self.involved: dict[int, Fault] = {}
        self.read = 0
        self.head = records.Head(0, records.GENESIS, 0)
        self.fresh = sqlite3.connect(":memory:", isolation_level=None)
        self.receipts: dict[bytes, list[int]] = {}

    def run(self) -> Report:
        """Reads everything and returns the report."""
        self.vault.keys.load_all()
        for statement in (*records.TABLES, *index.TABLES):
            self.fresh.execute(statement)
        self._compare_triggers()
        for record in self._rows():
            self._check(record)
        for (scope,) in self.fresh.execute("SELECT id FROM scopes").fetchall():
            records.seal_scope(self.fresh, scope)
        self._name_misfits()
        self._check_end()
        self._fold_shape()
        self._compare_index()
        self.fresh.close()
        remembered = self.vault.keys.remembered_head()
        faults = sorted(self.faults, key=lambda fault: (fault.position or 2**62, fault.kind))
        return Report(self.read, self.head.position, self.head.link.hex(), remembered[0] if remembered else 0, faults)

    def _compare_triggers(self) -> None:
        """Compares the triggers that guard the records with the ones that a new log gets."""
        query = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"
        stored, wanted = dict(self.connection.execute(query)), dict(self.fresh.execute(query))
        for name in sorted(wanted.keys() | stored.keys()):
            if stored.get(name) != wanted.get(name):
                what = "is gone" if name not in stored else "is not one of ours" if name not in wanted else "was changed"
                self.faults.append(Fault("schema", None, f"the trigger {name}, which guards the records, {what}"))

    def _rows(self) -> Iterator[Recorded]:
        query = f"SELECT {COLUMNS} FROM records ORDER BY position"  # noqa: S608 - constants
        for row in self.connection.execute(query):
            yield Recorded(*row)

    def _check(self, record: Recorded) -> None:
        self.read += 1
        expected = self.head.position + 1
        gap = record.position - expected
        if gap:
            what = (
                f"record {expected} is missing" if gap == 1 else f"records {expected} to {record.position - 1} are missing"
            )
            self.faults.append(Fault("missing", expected, what))
        digest = blake3(record.body).digest()
        link = chain(self.head.link, record.position, record.scope_number, record.recorded_at, digest)
        if gap:
            # What the record should follow is gone, so its link says nothing; its own digest still does.
            fits = digest == record.digest
        else:
            fits = link == record.link and digest == record.digest and record.recorded_at >= self.head.recorded_at
        if not fits:
            self.misfits.append(_Misfit(record, digest, self.head.link))
        self.head = records.Head(record.position, record.link, record.recorded_at)
        self._check_body(record)

    def _check_body(self, record: Recorded) -> None:
        """Checks what a body says against the record's columns and its sealed text, and feeds the fresh index."""
        try:
            body = encoding.body(record.body)
            newest, public = upcast(body.type, encoding.decode(body.public))
            kind = FIELDS[newest]
        except (ValueError, KeyError, TypeError):
            self._misshapen(record, "its body is not that of a record")
            return
        if not encoding.is_canonical(record.body):
            self._misshapen(record, "its body is not in canonical form")
        said = (body.id, body.version, body.type)
        if said != (record.event_id, record.version, record.type):
            self._misshapen(record, "its columns say something else than its body")
        name = self.connection.execute("SELECT name FROM streams WHERE id = ?", (record.stream,)).fetchone()
        if name is None or name[0] != body.stream:
            self._misshapen(record, "it stands in another stream than its body says")
        self._check_blob(record, body)
        self._feed(record, body, public, kind)

    def _check_blob(self, record: Recorded, body: Body) -> None:
        row = self.connection.execute("SELECT content FROM blobs WHERE position = ?", (record.position,)).fetchone()
        if body.sealed is None:
            if row is not None:
                self.texts.append(Fault("foreign text", record.position, "a sealed text stands where the record has none"))
            return
        if row is None:
            self.texts.append(Fault("missing text", record.position, "its sealed text is gone, and no erasure says so"))
            return
        if blake3(row[0]).digest() != body.sealed:
            self.texts.append(Fault("foreign text", record.position, "its sealed text is not the one that was written"))
            return
        try:
            self.vault.open(row[0], scope=body.scope, event_id=body.id, event_type=body.type)
        except KeyMissing as error:
            self.texts.append(Fault("missing key", record.position, error.message))
        except AffidavitError as error:
            self.texts.append(Fault("foreign text", record.position, error.message))

    def _misshapen(self, record: Recorded, sentence: str) -> None:
        self.shape.append(Fault("edited", record.position, sentence))

    def _feed(self, record: Recorded, body: Body, public: dict[str, object], kind: type[object]) -> None:
        """Builds the index anew, beside, from this record."""
        stream_class = "claim" if kind is ClaimFields else "evidence" if kind is EvidenceFields else "scope"
        fresh = self.fresh
        scope = fresh.execute(
            "INSERT INTO scopes (name, number) VALUES (?, 1) ON CONFLICT (name) DO UPDATE SET number = number + 1 "
            "RETURNING id, number",
            (body.scope,),
        ).fetchone()
        if scope[1] != record.scope_number:
            self._misshapen(record, f"it has number {record.scope_number} in its scope, {scope[1]} is next")
        known = fresh.execute("SELECT version FROM streams WHERE id = ?", (record.stream,)).fetchone()
        if body.version != (known[0] if known else 0) + 1:
            wanted = (known[0] if known else 0) + 1
            self._misshapen(record, f"it has version {body.version} in its stream, {wanted} is next")
        fresh.execute(
            "INSERT INTO streams VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET version = excluded.version, "
            "position = excluded.position",
            (record.stream, body.stream, stream_class, scope[0], body.version, record.position),
        )
        try:
            index.apply(fresh, record.position, record.stream, body, public)
            self._feed_receipt(record, body)
        except (sqlite3.Error, LookupError, KeyError, TypeError):
            self._misshapen(record, "it does not follow from the records before it")

    def _feed_receipt(self, record: Recorded, body: Body) -> None:
        key = body.scope + body.command
        if key in self.receipts:
            stream, position = self.receipts[key]
            count = record.position - position + 1
            where = (count, stream, body.command)
            self.fresh.execute("UPDATE receipts SET count = ? WHERE stream = ? AND command = ?", where)
        else:
            self.receipts[key] = [record.stream, record.position]
            index.add_receipt(self.fresh, record.stream, body, record.position, 1)

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

    def _check_end(self) -> None:
        """Compares the end of the log with the remembered head, and with the heads that its own tables name."""
        remembered = self.vault.keys.remembered_head()
        if remembered and self.head.position < remembered[0]:
            sentence = f"the log ends here, and position {remembered[0]} is remembered beside the keys"
            self.faults.append(Fault("cut", self.head.position + 1, sentence))
        elif remembered:
            row = self.connection.execute("SELECT link FROM records WHERE position = ?", (remembered[0],)).fetchone()
            if row is not None and row[0] != remembered[1] and not self.faults:
                sentence = "its link is not the one that is remembered beside the keys"
                self.faults.append(Fault("edited", remembered[0], sentence))
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

    def _compare_index(self) -> None:
        """Compares every index table with the one built anew; differences beneath a fault of the records are its own."""
        root = next(
            (fault for fault in self.faults if fault.kind in {"missing", "cut", "doubled", "swapped", "edited"}), None
        )
        for table in index.COMPARED:
            stored, built = _table(self.connection, table), _table(self.fresh, table)
            wrong = [("stands in the index and follows from no record", row) for row in (stored - built)]
            wrong += [("follows from the records and is not in the index", row) for row in (built - stored)]
            if not wrong:
                continue
            if root is not None:
                root.consequences.append(f"{len(wrong)} row(s) of the index table {table} differ")
                continue
            for what, row in sorted(wrong, key=repr)[:ROWS_NAMED]:
                self.faults.append(Fault("index", None, f"table {table}: {_row_text(row)} {what}"))


def _table(connection: sqlite3.Connection, table: str) -> Counter[tuple[object, ...]]:
    return Counter(connection.execute(f"SELECT * FROM {table}"))  # noqa: S608 - our own table names


def _row_text(row: tuple[object, ...]) -> str:
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
