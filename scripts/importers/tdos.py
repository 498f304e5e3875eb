"""TDOS memory 1.0.0: envelopes as JSON, and exports of its two MongoDB collections, as a JSON array or one document a line.

A document is a profile (`creative_profile`), a shared narrative, or an envelope (`identity` and `relational`). A user is a
scope and a guild a namespace; a file of one user goes where the caller says. A confidence that a model gave is not taken
over: the host's table says how far an imported memory is believed. What has no zone is in UTC, as that program writes it.
"""

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, cast

from affidavit.domain.claims import Tone
from affidavit.domain.memories import Legacy
from affidavit.domain.messages import Message
from affidavit.domain.proposals import Form, Kind
from affidavit.scripts.importers import Line, Options
from affidavit.scripts.importers.lines import Bad, exact, rows, table, word
from affidavit.scripts.importers.stores import (
    CORRECT,
    WITHOUT,
    Gathering,
    Store,
    document,
    fields_of,
    filled,
    memory,
    named_by,
    one_of,
    shown,
    time_of,
)

SOURCE = "tdos"
_ZONE = "UTC"
_LOOKED_AT = 50
_TYPES: dict[str, tuple[Form, Kind]] = {
    "USER_FACT": ("fact", "fact"),
    "USER_PATTERN": ("fact", "pattern"),
    "SHARED_NARRATIVE": ("narrative", "narrative"),
}
_STATES = {"unconfirmed": "active", "confirmed": "active", "contradicted": "denied"}
_TONES = ("playful", "warm", "funny", "inside_joke")
_NUMBERS = "confidences, origins and categories"


class _User:
    """What is gathered of one user."""

    def __init__(self) -> None:
        self.found = Gathering()
        self.lines: list[Line] = []


def is_document(fields: dict[str, Any]) -> bool:
    """Tells whether an object is a profile, a narrative or an envelope."""
    return bool(_kind(fields))


def read(path: Path, options: Options) -> Iterator[Store]:
    """Yields what the file holds: one store for each of its users, or a single one, for the caller's scope.

    With `options.user`, that user's documents only. Raises BadInput if the file cannot be read.
    """
    users: dict[str, _User] = {}
    unread = Gathering()
    for number, (place, fields) in enumerate(_documents(path), 1):
        if isinstance(fields, str):
            unread.skip(place, fields)
            continue
        kind = _kind(fields)
        name = _id(fields, "user_id") or _id(table(fields, "identity"), "user_id")
        if not kind or (options.user and name != options.user):
            unread.leave("documents of other users" if kind else "documents of another kind")
            continue
        _document(kind, place, number, fields, users.setdefault(name, _User()), options)
    stores = [(name, user.found.store(name if len(users) > 1 else None, user.lines)) for name, user in users.items()]
    for number, (_, store) in enumerate(stores):
        rest = unread if number == 0 else Gathering()
        left = {**store.left_out, **rest.left_out}
        yield Store(store.memories, (*store.skipped, *rest.skipped), left, store.scope, store.lines)
    if not stores:
        yield unread.store()


def _documents(path: Path) -> Iterator[tuple[str, dict[str, Any] | str]]:
    """Yields each document with its place; what cannot be read as one is a reason instead."""
    if _is_lines(path):
        for row in rows(path):
            yield f"line {row.number}", row.fields if row.fields is not None else row.reason
        return
    whole = document(path, (dict, list))
    if isinstance(whole, dict):
        yield "", whole
        return
    for number, one in enumerate(whole):
        yield f"[{number}]", one if isinstance(one, dict) else f"{shown(one)} was found, an object is required"


def _is_lines(path: Path) -> bool:
    """Tells whether a file has one document a line; what begins as a list is one document, however it is laid out."""
    with path.open("rb") as file:
        start = file.read(64).removeprefix(b"\xef\xbb\xbf").lstrip()
    looked_at = islice(rows(path), _LOOKED_AT)
    return start[:1] != b"[" and any(row.fields is not None and is_document(row.fields) for row in looked_at)


def _kind(fields: dict[str, Any]) -> str:
    if isinstance(fields.get("creative_profile"), dict):
        return "profile"
    if isinstance(fields.get("identity"), dict) and isinstance(fields.get("relational"), dict):
        return "envelope"
    return "narrative" if fields.get("type") == "SHARED_NARRATIVE" and "memory" in fields else ""


def _document(kind: str, place: str, number: int, fields: dict[str, Any], user: _User, options: Options) -> None:
    found = user.found
    identity = table(fields, "identity") if kind == "envelope" else fields
    guild = _id(identity, "guild_id")
    if kind == "narrative":
        _admit(_narrative, place, fields, guild, found)
        return
    name = "relational" if kind == "envelope" else "creative_profile"
    body = table(fields, name)
    where = f"{place}.{name}" if place else name
    for label in ("name", "nickname"):
        if kind == "envelope" and word(identity, label).strip():
            one = {"label": label, "said": word(identity, label)}
            _admit(_labelled, f"{place}.identity.{label}".lstrip("."), one, guild, found)
    for index, domain in enumerate(_list(body, "domains", where, found)):
        _admit(_labelled, f"{where}.domains[{index}]", {"label": "domain", "said": domain}, guild, found)
    for label, said in table(body, "preferences").items():
        if said:
            words = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
            _admit(_preference, f"{where}.preferences.{label}", {"label": label, "said": words}, guild, found)
    for index, fact in enumerate(_list(body, "memorable_facts", where, found)):
        _admit(_fact, f"{where}.memorable_facts[{index}]", fact, guild, found)
    if kind == "envelope":
        _summary(table(fields, "recent_context"), number, guild, user, options)


def _admit(make: Any, place: str, fields: Any, guild: str, found: Gathering) -> None:
    try:
        found.admit(make(place, fields_of(fields), guild, found))
    except Bad as bad:
        found.skip(place, bad, CORRECT)


def _fact(place: str, fields: dict[str, Any], guild: str, found: Gathering) -> Legacy:
    said = filled(fields, "text" if "text" in fields else "fact")
    form, kind = _TYPES[one_of(fields, "type", _TYPES) if "type" in fields else "USER_FACT"]
    state = one_of(fields, "confirmation_state", _STATES) if "confirmation_state" in fields else "unconfirmed"
    reach = one_of(fields, "scope_type", ("global", "guild", "persona")) if fields.get("scope_type") else "guild"
    if form == "narrative":
        return _told(place, fields, said, guild, found)
    if kind == "fact" and word(fields, "category").endswith("preference"):
        kind = "preference"
    at, assumed = _time(fields, "added_at", place, found)
    confirmed_at, _ = _time(fields, "last_confirmed", place, found)
    found.leave(_NUMBERS)
    return memory(
        f"fact/{guild}/{named_by(reach, said)}",
        said,
        place,
        kind=kind,
        entity="agent" if reach == "persona" else "user",
        status=_STATES[state],
        standing="confirmed" if state == "confirmed" else "",
        at=at,
        assumed=assumed,
        since=at if state == "unconfirmed" else confirmed_at,
        confirmed_at=None if state == "contradicted" else confirmed_at,
        namespace="" if reach == "global" else guild,
    )


def _narrative(place: str, fields: dict[str, Any], guild: str, found: Gathering) -> Legacy:
    return _told(place, fields, filled(fields, "memory"), guild, found)


def _told(place: str, fields: dict[str, Any], said: str, guild: str, found: Gathering) -> Legacy:
    """Returns a shared narrative: it is of its own form, from which nothing is inferred."""
    tone = fields.get("tone")
    if tone not in (None, "", *_TONES):
        found.skip(f"{place}.tone", f"the tone is {shown(tone)}, one of {', '.join(_TONES)} is required", WITHOUT)
        tone = ""
    name = "created_at" if "created_at" in fields else "added_at"
    at, assumed = _time(fields, name, place, found)
    return memory(
        f"narrative/{guild}/{named_by(said)}",
        said,
        place,
        form="narrative",
        entity="relationship",
        at=at,
        assumed=assumed,
        namespace=guild,
        tone=cast("Tone", tone or ""),
        expires_at=_time(fields, "expires_at", place, found)[0],
    )


def _labelled(place: str, fields: dict[str, Any], guild: str, found: Gathering) -> Legacy:  # noqa: ARG001 - one shape for all
    label, said = fields["label"], filled(fields, "said")
    key = f"{label}/{guild}/{named_by(said)}" if label == "domain" else f"{label}/{guild}"
    return memory(key, f"{label}: {said}", place, namespace=guild)


def _preference(place: str, fields: dict[str, Any], guild: str, found: Gathering) -> Legacy:  # noqa: ARG001 - as above
    label, said = filled(fields, "label"), filled(fields, "said")
    return memory(f"preference/{guild}/{label}", f"{label}: {said}", place, kind="preference", namespace=guild)


def _summary(recent: dict[str, Any], number: int, guild: str, user: _User, options: Options) -> None:
    """Keeps the summary of the last session as evidence that says what it is; one without a date is left out."""
    said = word(recent, "last_session_summary")
    if not said.strip():
        return
    try:
        at, assumed = time_of(recent.get("last_session_date"), _ZONE, "last_session_date")
        if at is None:
            user.lines.append(Line(number, noise="summaries without a date"))
            return
        kept = Message(
            id=f"summary/{guild}/{named_by(said)}",
            role="system",
            text=exact(said),
            at=at,
            assumed=assumed,
            source=options.source or SOURCE,
            namespace=options.namespace or guild,
            summary=True,
        )
    except Bad as bad:
        user.lines.append(Line(number, reason=str(bad)))
    else:
        user.lines.append(Line(number, kept))


def _time(fields: dict[str, Any], name: str, place: str, found: Gathering) -> tuple[int | None, bool]:
    try:
        return time_of(fields.get(name), _ZONE, name)
    except Bad as bad:
        found.skip(f"{place}.{name}", bad, WITHOUT)
        return None, False


def _list(fields: dict[str, Any], name: str, place: str, found: Gathering) -> list[Any]:
    value = fields.get(name)
    if value is None or isinstance(value, list):
        return value or []
    found.skip(f"{place}.{name}", f"{shown(value)} was found, a list is required")
    return []


def _id(fields: dict[str, Any], name: str) -> str:
    """Returns an id as text; that program writes them as texts, and reads numbers as well."""
    value = fields.get(name)
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        return ""
    return str(value).strip()
