"""N.E.K.O: the memory folder of one character, read into plain records.

The views (facts, reflections, persona, and their archives) say what is remembered. The journal holds what a view may have
missed: its events after the last applied one carry full counters, and the last of them stands, as after that program's next
start. Each memory comes once, under a key that the same folder gives again, and after its parents. What cannot be read costs
itself only and is told with its place; what is known and not carried is counted. No link inside the folder is followed.

Memories of group chats and their members belong to other people; that program keeps them apart, and they are left out.
"""

import hashlib
import math
import os
import re
import stat
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from affidavit.domain.errors import BadInput
from affidavit.domain.memories import Legacy
from affidavit.domain.policy import ONE
from affidavit.domain.proposals import Form
from affidavit.domain.times import parse_time
from affidavit.scripts.importers.lines import Bad, exact, rows, table, word
from affidavit.scripts.importers.stores import LIMIT, Store, parse, shown, texts

LARGEST = 1_000_000_000
"""The largest counter that is believed, in wholes. A larger one is a spoilt number."""

_FACTS = ("facts.json", "facts_archive.json")
_REFLECTIONS = ("reflections.json", "reflections_archive.json")
_REFLECTION_SHARDS = ("reflection_archive", "reflections_archive")
_PERSONA = "persona.json"
_PERSONA_SHARDS = "persona_archive"
_JOURNAL = "events.ndjson"
_APPLIED = "events_applied.json"
_SURFACED = "surfaced.json"
_CARRIED = frozenset({*_FACTS, *_REFLECTIONS, *_REFLECTION_SHARDS, _PERSONA, _PERSONA_SHARDS, _JOURNAL})
_SHARD = re.compile(r"(\d{4}-\d{2}-\d{2})_[0-9a-f]{8}\.json")

_ENTITIES = {"master": "user", "user": "user", "neko": "agent", "ai": "agent"}
"""Whom that program means, `user` and `ai` being its own older words. Every other name stays as it is."""

_ENDED = ("promoted", "merged", "promote_blocked", "denied", "archived")
_STATUSES = ("pending", "confirmed", *_ENDED)
_EVIDENCE = (
    "reinforcement",
    "disputation",
    "rein_last_signal_at",
    "disp_last_signal_at",
    "sub_zero_days",
    "user_fact_reinforce_count",
)
_HANDLED = frozenset(
    {
        "reflection.evidence_updated",
        "reflection.state_changed",
        "persona.evidence_updated",
        "persona.entry_updated",
        "persona.fact_added",
    },
)
_FORMS: tuple[Form, ...] = ("fact", "reflection", "persona")
_OF_OTHERS = "memories of group chats and their members"
_MEND = "mend it or take it from a backup, and import the folder again"
_CORRECT = "correct it there and import the folder again"


def is_neko(path: Path) -> bool:
    """Tells whether a path is a folder with at least one of the files that hold a character's memory."""
    return path.is_dir() and any(os.path.lexists(path / name) for name in _CARRIED)


def read(path: Path, zone: str) -> Store:
    """Returns what a character's memory folder holds; times without a zone are read in `zone`.

    Raises BadInput if it is no such folder, cannot be listed, or there is no such zone.
    """
    try:
        ZoneInfo(zone)
        known = is_neko(path)
        names = sorted(os.scandir(path), key=lambda entry: entry.name) if known else []
    except (KeyError, ValueError) as error:
        msg = f"{zone!r:.60} is no time zone"
        raise BadInput(msg, remedy="name one such as Europe/Lisbon") from error
    except OSError as error:
        msg = f"{path}: {error.strerror}"
        raise BadInput(msg) from error
    if not known:
        msg = f"{path}: none of the files of N.E.K.O's memory is there"
        raise BadInput(msg, remedy="name the folder of one character, the one with facts.json or persona.json in it")
    return _Reader(path, zone).folder(names)


@dataclass(slots=True)
class _Record:
    """A memory while the folder is being read. `fields` are its own copy, which the journal may change."""

    key: str
    form: Form
    text: str
    entity: str
    status: str
    fields: dict[str, Any]
    place: str
    archived: bool


class _Event(NamedTuple):
    """An event of the journal that has not been applied to the views: its place, type and payload."""

    place: str
    kind: str
    payload: dict[str, Any]


@dataclass(slots=True)
class _Reader:
    """What is gathered from one folder. `homes` are the persona sections of archived entries, by shard and id."""

    root: Path
    zone: str
    records: dict[str, _Record] = field(default_factory=dict)
    skipped: list[tuple[str, str]] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    homes: dict[tuple[str, str], str] = field(default_factory=dict)

    def folder(self, names: Iterable[os.DirEntry[str]]) -> Store:
        """Reads the folder: the journal first, since only it says in which section an archived persona entry stood."""
        events = self._events()
        for name in _FACTS:
            for place, entry in self._entries(name):
                self._admit("fact", place, entry, archived=name != _FACTS[0])
        for name in (*_REFLECTIONS, *self._shards(*_REFLECTION_SHARDS)):
            for place, entry in self._entries(name):
                self._admit("reflection", place, entry, archived=name != _REFLECTIONS[0])
        self._persona()
        for name in self._shards(_PERSONA_SHARDS):
            for place, entry in self._entries(name):
                self._admit("persona", place, entry, section=self._home(name, entry), archived=True)
        for event in events:
            try:
                self._apply(event)
            except Bad as bad:
                self._skip(event.place, f"the event is not applied: {bad}", "see whether its entry is as you want it")
        self._name_the_rest(names)
        records = sorted(self.records.values(), key=lambda record: _FORMS.index(record.form))
        memories = tuple(self._legacy(record) for record in records)
        return Store(memories, tuple(self.skipped), dict(self.left_out))

    # Files

    def _entries(self, name: str) -> Iterator[tuple[str, Any]]:
        for number, entry in enumerate(self._document(name, list) or ()):
            yield f"{name}[{number}]", entry

    def _document(self, name: str, shape: type) -> Any:
        """Returns what a file holds, or None where there is none of this shape; all but its absence is told."""
        try:
            return parse(_bytes(self.root / name), shape)
        except FileNotFoundError:
            return None
        except (Bad, OSError) as error:
            self._skip(name, _why(error), _MEND)
            return None

    def _shards(self, *folders: str) -> Iterator[str]:
        """Yields the names of the shards of an archive in the order of their days."""
        for folder in folders:
            try:
                _require(self.root / folder, stat.S_ISDIR, "a folder")
                names = sorted(os.listdir(self.root / folder))  # noqa: PTH208 - names are all that is asked
            except FileNotFoundError:
                continue
            except (Bad, OSError) as error:
                self._skip(folder, _why(error), _MEND)
                continue
            for name in names:
                if _SHARD.fullmatch(name):
                    yield f"{folder}/{name}"
                else:
                    self.left_out[f"{folder}/{_name(name)}"] = 1

    def _name_the_rest(self, names: Iterable[os.DirEntry[str]]) -> None:
        for entry in names:
            if entry.name == _SURFACED:
                self.left_out[f"{_SURFACED} records"] = len(self._document(_SURFACED, list) or ())
            elif entry.name not in _CARRIED:
                self.left_out[_name(entry.name) + "/" * entry.is_dir(follow_symlinks=False)] = 1

    def _skip(self, place: str, reason: str, remedy: str) -> None:
        self.skipped.append((place, f"{reason}; {remedy}"))

    # Entries

    def _admit(self, form: Form, place: str, entry: Any, *, section: Any = None, archived: bool = False) -> None:
        """Keeps an entry, counts it if it is about others, or tells why it is of no use."""
        if _is_of_others(entry, section):
            self.left_out[_OF_OTHERS] += 1
            return
        try:
            record = _record(form, place, entry, section, archived=archived)
        except Bad as bad:
            self._skip(place, str(bad), _CORRECT)
            return
        kept = self.records.setdefault(record.key, record)
        if kept is not record:
            reason = f"the same memory stands at {kept.place}, which is carried"
            self._skip(place, reason, "nothing is to be done unless the two differ")

    def _persona(self) -> None:
        for section, body in (self._document(_PERSONA, dict) or {}).items():
            place = f"{_PERSONA}[{section!r}]"
            if section == "__meta__":
                self.left_out["persona.json bookkeeping sections"] += 1
                continue
            if not isinstance(body, (dict, list)):
                self._skip(place, f"{shown(body)} was found, a section is required", _CORRECT)
                continue
            for entries in (body,) if isinstance(body, list) else (body.get("facts"), body.get("dynamics")):
                if isinstance(entries, list):
                    for number, entry in enumerate(entries):
                        self._admit("persona", f"{place}[{number}]", entry, section=section)
                elif entries is not None:
                    self._skip(place, f"{shown(entries)} was found, a list is required", _CORRECT)

    def _home(self, shard: str, entry: Any) -> Any:
        """Returns the section of an archived persona entry, which no shard names, or None if it is not known.

        The journal names it. Where it does not, an entry that was promoted stood in the section of its reflection.
        """
        fields = entry if isinstance(entry, dict) else {}
        section = self.homes.get((shard.rpartition("/")[2], word(fields, "id"))) or fields.get("entity")
        if section is None:
            known = [self.records[key] for key in self._reflections_of(fields) if key in self.records]
            section = known[0].entity if known else None
        return section

    # The journal

    def _events(self) -> list[_Event]:
        """Returns the events after the last applied one, or all where that is not to be found."""
        applied = word(self._document(_APPLIED, dict) or {}, "last_applied_event_id")
        tail: list[_Event] = []
        try:
            _require(self.root / _JOURNAL, stat.S_ISREG, "a file")
            for row in rows(self.root / _JOURNAL):
                fields, place = row.fields, f"{_JOURNAL}:{row.number}"
                name = word(fields or {}, "event_id")
                if fields is None or not name:
                    self._skip(place, row.reason or 'field "event_id" is missing', _MEND)
                    continue
                self.left_out[f"{_JOURNAL} records"] += 1
                event = _Event(place, word(fields, "type"), table(fields, "payload"))
                if event.kind == "persona.fact_added":
                    home = (word(event.payload, "archive_shard_path"), word(event.payload, "entry_id"))
                    self.homes[home] = word(event.payload, "entity_key")
                if name == applied:
                    tail.clear()
                elif event.kind in _HANDLED:
                    tail.append(event)
        except FileNotFoundError:
            return []
        except (Bad, OSError) as error:
            self._skip(_JOURNAL, _why(error), _MEND)
        return tail

    def _apply(self, event: _Event) -> None:
        """Does to a record what the event says. An entry that is in no view, or in an archive, is left as it is."""
        payload = event.payload
        form: Form = "reflection" if event.kind.startswith("reflection.") else "persona"
        name = word(payload, "reflection_id" if form == "reflection" else "entry_id")
        section = word(payload, "entity_key")
        if not name or (form == "persona" and not section):
            raise Bad("it names no entry")
        record = self.records.get(_key(form, _ENTITIES.get(section, section), name))
        archives = payload.get("to") == "archived" or bool(word(payload, "archive_shard_path"))
        if archives and event.kind in {"reflection.state_changed", "persona.fact_added"}:
            self._archive(event, form, name, section, record)
        elif record is None or record.archived or event.kind == "persona.fact_added":
            return
        elif event.kind == "reflection.state_changed":
            status = payload.get("to")
            if status not in _STATUSES:
                raise Bad(f'field "to" is {shown(status)}, one of {", ".join(_STATUSES)} is required')
            record.status, record.fields[f"{status}_at"] = status, payload.get("ts")
        else:
            _update(record, payload, merge=event.kind == "persona.entry_updated")

    def _archive(self, event: _Event, form: Form, name: str, section: str, record: _Record | None) -> None:
        """Marks a record archived; one that is gone from view and shard comes back from the event's own snapshot."""
        snapshot = event.payload.get("entry_snapshot")
        if record is not None and not record.archived:
            record.status, record.archived = "archived", True
            record.fields["archived_at"] = event.payload.get("archived_at")
        elif record is None and isinstance(snapshot, dict):
            if snapshot.get("id") != name:
                raise Bad("its snapshot is of another entry")
            self._admit(form, event.place, snapshot, section=section or None, archived=True)

    # Fields

    def _legacy(self, record: _Record) -> Legacy:
        up, down = self._counter(record, "reinforcement", -LARGEST), self._counter(record, "disputation", 0)
        if up is not None or down is not None:
            up, down = up or 0, down or 0
        created_at, assumed = self._time(word(record.fields, "created_at"))
        return Legacy(
            key=record.key,
            form=record.form,
            text=record.text,
            entity=record.entity,
            status=record.status,
            protected=_is_protected(record),
            importance=self._importance(record),
            created_at=created_at,
            assumed=assumed,
            since=created_at if record.status in {"active", "pending"} else self._since(record),
            parents=self._parents(record),
            reinforcement=up,
            disputation=down,
            rein_last_signal_at=self._moment(record, "rein_last_signal_at"),
            disp_last_signal_at=self._moment(record, "disp_last_signal_at"),
            sub_zero_days=self._count(record, "sub_zero_days"),
            user_fact_reinforce_count=self._count(record, "user_fact_reinforce_count"),
            absorbed=record.fields.get("absorbed") is True,
            place=record.place,
        )

    def _counter(self, record: _Record, name: str, least: int) -> int | None:
        try:
            return _millionths(record.fields, name, least)
        except Bad as bad:
            self._skip(f"{record.place}.{name}", str(bad), "the memory is carried without it")
            return None

    def _count(self, record: _Record, name: str) -> int:
        try:
            return _whole(record.fields, name)
        except Bad as bad:
            self._skip(f"{record.place}.{name}", str(bad), "the memory is carried with 0")
            return 0

    def _importance(self, record: _Record) -> int | None:
        """Returns the importance as that program takes it: cut down to a whole number, 10 at most; 0 is none."""
        value = record.fields.get("importance")
        if value in (None, 0):
            return None
        try:
            number = math.nan if isinstance(value, bool) else float(value)
        except (TypeError, ValueError, OverflowError):
            number = math.nan
        if number >= 1:
            return int(min(number, 10))
        reason = f"importance is {shown(value)}, a number from 1 to 10 is required"
        self._skip(f"{record.place}.importance", reason, "the memory is carried without it")
        return None

    def _moment(self, record: _Record, name: str) -> int | None:
        return self._time(word(record.fields, name))[0]

    def _time(self, text: str) -> tuple[int | None, bool]:
        """Returns a time, and whether its zone was assumed; None where it is missing or no time.

        That program then takes an age of zero.
        """
        try:
            return parse_time(text, self.zone)
        except (ValueError, OverflowError):
            return None, False

    def _since(self, record: _Record) -> int | None:
        """Returns when an entry came to its status, as it says itself; else the day that its shard is named by."""
        said = self._moment(record, f"{record.status}_at")
        shard = _SHARD.search(record.place) if record.status == "archived" else None
        return self._time(shard.group(1))[0] if said is None and shard else said

    def _parents(self, record: _Record) -> tuple[str, ...]:
        if record.form == "fact":
            return ()
        name = "source_fact_ids" if record.form == "reflection" else "merged_from_ids"
        value = record.fields.get(name)
        if value is not None and not isinstance(value, list):
            reason = f"{name} is {shown(value)}, a list is required"
            self._skip(f"{record.place}.{name}", reason, "the memory is carried without these parents")
        if record.form == "persona":
            return tuple(self._reflections_of(record.fields))
        return tuple(dict.fromkeys(_key("fact", "", fact) for fact in texts(value)))

    def _reflections_of(self, fields: dict[str, Any]) -> dict[str, None]:
        """Returns the keys of the reflections that a persona entry came from or took in, in that order.

        What is merged may also be a persona entry, which is gone; one named `prom_<id>` had come from that reflection.
        """
        found: dict[str, None] = {}
        own = fields.get("id")
        first = [own if isinstance(own, str) and own.startswith("prom_") else None]
        if fields.get("source") == "reflection":
            first.insert(0, fields.get("source_id"))
        for name in texts(first):
            found[_key("reflection", "", name.removeprefix("prom_"))] = None
        for name in texts(fields.get("merged_from_ids")):
            key = _key("reflection", "", name.removeprefix("prom_"))
            if name.startswith(("prom_", "ref_")) or key in self.records:
                found[key] = None
        return found


def _is_of_others(entry: Any, section: Any) -> bool:
    """Tells whether an entry is about a group chat or one of its members, as its section or one of its own fields says."""
    if isinstance(section, str) and section.startswith("@subject/"):
        return True
    return isinstance(entry, dict) and any(entry.get(name) is not None for name in ("subject_kind", "subject_id", "scope"))


def _record(form: Form, place: str, entry: Any, section: Any, *, archived: bool) -> _Record:
    """Returns an entry as a record. Raises Bad if it has no text, no id (persona entries may lack one), entity or status."""
    fields = {"text": entry} if form == "persona" and isinstance(entry, str) else entry
    if not isinstance(fields, dict):
        raise Bad(f"{shown(fields)} was found, an object is required")
    text = fields.get("text")
    if not isinstance(text, str) or not text.strip():
        raise Bad(f"the text is {shown(text)}, one that is not blank is required")
    text = exact(text)
    name = fields.get("id")
    if form == "persona" and name in (None, ""):
        name = f"text-{hashlib.sha256(text.encode()).hexdigest()[:16]}"
    if not isinstance(name, str) or not name.strip():
        raise Bad(f"the id is {shown(name)}, a text is required")
    named = section if form == "persona" else fields.get("entity")
    if named is None:
        if form == "persona":
            raise Bad("neither its shard nor the journal says whom it is about")
        named = "master" if form == "fact" else "relationship"  # what that program puts in for a missing one
    if not isinstance(named, str) or not named.strip():
        raise Bad(f"the entity is {shown(named)}, a text is required")
    entity = exact(_ENTITIES.get(named, named), "entity")
    return _Record(
        key=_key(form, entity, exact(name, "id")),
        form=form,
        text=text,
        entity=entity,
        status=_status(form, fields.get("status"), archived=archived),
        fields=dict(fields),
        place=place,
        archived=archived,
    )


def _status(form: Form, status: Any, *, archived: bool) -> str:
    """Returns an entry's status. In an archive a reflection that had come to an end before keeps how it ended."""
    if form != "reflection":
        return "archived" if archived else "active"
    if archived and status not in _ENDED:
        return "archived"
    if status not in _STATUSES:
        raise Bad(f"the status is {shown(status)}, one of {', '.join(_STATUSES)} is required")
    return str(status)


def _update(record: _Record, payload: dict[str, Any], *, merge: bool) -> None:
    """Puts an event's full counters into a record. Raises Bad, and changes nothing, if they or the text do not fit."""
    given = {name: payload[name] for name in _EVIDENCE if name in payload}
    _millionths(given, "reinforcement", -LARGEST)
    _millionths(given, "disputation", 0)
    _whole(given, "sub_zero_days")
    _whole(given, "user_fact_reinforce_count")
    if merge:
        digest = payload.get("rewrite_text_sha256")
        if digest and digest != hashlib.sha256(record.text.encode()).hexdigest():
            raise Bad("the entry was to get a text that the folder does not hold")
        if isinstance(payload.get("merged_from_ids"), list):
            given["merged_from_ids"] = payload["merged_from_ids"]
    record.fields.update(given)


def _is_protected(record: _Record) -> bool:
    return record.form == "persona" and (
        record.fields.get("protected") is True or record.fields.get("source") == "character_card"
    )


def _key(form: Form, entity: str, name: str) -> str:
    return f"persona/{entity}/{name}" if form == "persona" else f"{form}/{name}"


def _millionths(fields: dict[str, Any], name: str, least: int) -> int | None:
    value = fields.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not least <= value <= LARGEST:
        raise Bad(f"{name} is {shown(value)}, a number from {least:,} to {LARGEST:,} is required")
    return round(value * ONE)


def _whole(fields: dict[str, Any], name: str) -> int:
    value = _millionths(fields, name, 0) or 0
    if value % ONE:
        raise Bad(f"{name} is {shown(fields[name])}, a whole number is required")
    return value // ONE


def _name(name: str) -> str:
    """Returns a file's name for people: what cannot be printed is escaped."""
    return name if name.isprintable() else ascii(name)


def _why(error: Bad | OSError) -> str:
    return str(error) if isinstance(error, Bad) else f"it cannot be read: {error.strerror}"


def _require(path: Path, is_kind: Any, name: str) -> None:
    """Raises Bad if what stands at a path is a link or of another kind, FileNotFoundError if nothing does."""
    mode = path.lstat().st_mode
    if stat.S_ISLNK(mode):
        raise Bad("it is a link, and links are not followed")
    if not is_kind(mode):
        raise Bad(f"it is not {name}")


def _bytes(path: Path) -> bytes:
    _require(path, stat.S_ISREG, "a file")
    if path.lstat().st_size > LIMIT:
        raise Bad(f"longer than {LIMIT:,} bytes")
    return path.read_bytes()
