"""Pi sessions: JSONL, a header and then entries, since version 2 linked by `id` and `parentId`.

Version 1 has no ids: an entry's id is `line-<its number>`, which holds because such a file only grows. The last entry is the
leaf; what is not between it and the root is off the current branch. A session forked off another repeats the other's
entries; those said before the fork belong to the session they were said in, where the header names its file.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from affidavit.domain.proposals import VoiceRole
from affidavit.scripts.importers import Line, Options, Part
from affidavit.scripts.importers.lines import (
    Bad,
    Head,
    Piece,
    Row,
    call,
    entries,
    inside,
    messages,
    moment,
    noise_name,
    rows,
    said,
    seconds,
    table,
    tags,
    word,
)

SOURCE = "pi"
_INJECTED = tags("skill", "system-reminder")
_SUMMARIES = frozenset({"compaction", "branch_summary"})
_PARENT_FILE = re.compile(r"_([0-9A-Za-z-]+)\.jsonl$")


def read(path: Path, options: Options) -> Iterator[Part]:
    """Yields the file's one part."""
    yield Part(None, _lines(path, options))


def _lines(path: Path, options: Options) -> Iterator[Line]:
    survey = _survey(path)
    yield from entries(path, survey.lines, lambda row, entry: _entry(row, entry, options, survey))


@dataclass(slots=True)
class _Survey:
    """The file's header, how many lines it has, each entry's parent, and the entries of the current branch."""

    lines: int = 0
    header: dict[str, Any] = field(default_factory=dict)
    parents: dict[str, str] = field(default_factory=dict)
    current: set[str] = field(default_factory=set)


def _survey(path: Path) -> _Survey:
    survey = _Survey()
    leaf = ""
    for row in rows(path):
        survey.lines += 1
        fields = row.fields or {}
        if fields.get("type") == "session":
            survey.header = survey.header or fields
        elif entry := word(fields, "id"):
            survey.parents[entry] = word(fields, "parentId")
            leaf = entry
    while leaf in survey.parents and leaf not in survey.current:
        survey.current.add(leaf)
        leaf = survey.parents[leaf]
    return survey


def _entry(row: Row, fields: dict[str, Any], options: Options, survey: _Survey) -> Iterator[Line]:
    kind = fields.get("type")
    if kind == "message":
        pieces = _pieces(table(fields, "message"))
    elif kind in _SUMMARIES:
        pieces = iter([Piece(text=word(fields, "summary"), summary=True)])
    elif kind == "custom_message":
        pieces = _content(fields.get("content"), "system", word(fields, "customType"))
    elif kind is None:
        raise Bad('field "type" is missing')
    else:
        yield Line(row.number, noise=noise_name(kind))
        return
    yield from messages(row.number, _head(row, fields, options, survey), pieces, options, SOURCE)


def _head(row: Row, fields: dict[str, Any], options: Options, survey: _Survey) -> Head:
    entry = word(fields, "id")
    if fields.get("timestamp") is None and (millis := table(fields, "message").get("timestamp")) is not None:
        at, assumed = seconds(millis / 1000 if isinstance(millis, (int, float)) else millis, "timestamp"), False
    else:
        at, assumed = moment(fields.get("timestamp"), options.zone)
    return Head(
        id=entry or f"line-{row.number}",
        at=at,
        assumed=assumed,
        session=_session(survey.header, at, options.zone, copied=bool(entry)),
        parent=word(fields, "parentId"),
        off=bool(entry) and entry not in survey.current,
    )


def _session(header: dict[str, Any], at: int, zone: str, *, copied: bool) -> str:
    """Returns the session that an entry was said in: this one, or the one it was forked off if it is older."""
    own = word(header, "id")
    if not own:
        raise Bad('no line of type "session" tells the session\'s "id"')
    other = _PARENT_FILE.search(word(header, "parentSession") or word(header, "branchedFrom"))
    if copied and other is not None and at < moment(header.get("timestamp"), zone)[0]:
        return other.group(1)
    return own


def _pieces(message: dict[str, Any]) -> Iterator[Piece]:
    role = message.get("role")
    if role == "user":
        yield from _content(message.get("content"), "user", "")
    elif role == "assistant":
        yield from _content(message.get("content"), "assistant", word(message, "model"))
    elif role == "toolResult":
        yield from _content(message.get("content"), "tool", word(message, "toolName"))
    elif role == "bashExecution":
        yield Piece(role="system", text=word(message, "command"), part="0", speaker="bash")
        yield Piece(role="tool", text=word(message, "output"), part="1", speaker="bash")
    elif role in {"custom", "hookMessage"}:
        yield from _content(message.get("content"), "system", word(message, "customType"))
    elif role in {"branchSummary", "compactionSummary"}:
        yield Piece(text=word(message, "summary"), summary=True)
    else:
        raise Bad(f'field "role" is {role!r:.40}, which is not known')


def _content(content: Any, role: VoiceRole, speaker: str) -> Iterator[Piece]:
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    if not isinstance(blocks, list):
        raise Bad(f'field "content" is {content!r:.40}, a text or a list is required')
    for place, block in enumerate(blocks):
        part = inside("", place, len(blocks))
        kind = block.get("type") if isinstance(block, dict) else None
        if kind == "text" and role == "user":
            yield said(word(block, "text"), part, _INJECTED)
        elif kind == "text":
            yield Piece(role=role, text=word(block, "text"), part=part, speaker=speaker)
        elif kind == "toolCall":
            yield Piece(role="assistant", text=call(word(block, "name"), block.get("arguments")), part=part, speaker=speaker)
        else:
            yield Piece(noise=noise_name(kind))
    if not blocks:
        yield Piece(noise="empty")
