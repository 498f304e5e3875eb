"""Which format a file has, by the shape of what stands at its start, and never by its name.

A database is known by its tables, a folder by what is in it.
"""

import re
from itertools import islice
from pathlib import Path
from typing import Any

from affidavit.scripts.importers import NEKO, mem0, pi_memory, sqlite_files, tdos
from affidavit.scripts.importers.letta import is_letta
from affidavit.scripts.importers.lines import rows
from affidavit.scripts.importers.neko import is_neko

_LINES = 50
"""How many lines of a JSONL file are looked at: sessions begin with lines of bookkeeping."""

_START = 2**20
_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\Z)|[\[\]{}:,]', re.DOTALL)
_CONVERSATION = frozenset({"conversation", "sample_id", "qa"})
_CHAT = frozenset({"role", "text"})
_CLAUDE = frozenset({"sessionId", "parentUuid", "leafUuid", "isSnapshotUpdate"})
_CODEX = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})
_PI = frozenset({"session", "message"})
_ENTITY = frozenset({"name", "observations"})
_RELATION = frozenset({"from", "to", "relationType"})
_TDOS = ({"creative_profile"}, {"identity", "relational"}, {"type", "memory", "deletable"})


def format_of(path: Path) -> str:
    """Returns the name of the file's or folder's format, or "" if it is none that is known.

    An empty file is a chat without lines.
    """
    if path.is_dir():
        return NEKO if is_neko(path) else ""
    with path.open("rb") as file:
        start = file.read(_START).removeprefix(b"\xef\xbb\xbf").lstrip()
    if not start:
        return "chat"
    if sqlite_files.is_sqlite(start):
        return _of_database(path)
    if start[:1] in {b"[", b"{"} and (found := _of_document(_keys(start), start)):
        return found
    objects = False
    for row in islice(rows(path), _LINES):
        if row.fields is not None:
            objects = True
            if found := _of_line(row.fields):
                return found
    return "chat" if objects or start[:1] == b"{" else ""


def _of_database(path: Path) -> str:
    known = sqlite_files.columns(path)
    if known.keys() >= pi_memory.TABLES:
        return "pi-memory"
    return "mem0" if known.get("history", frozenset()) >= mem0.COLUMNS else ""


def _of_document(keys: set[str], start: bytes) -> str:
    if is_letta(keys, start):
        return "letta"
    if any(keys >= known for known in _TDOS):
        return "tdos"
    return "chatgpt" if "mapping" in keys else "locomo" if keys & _CONVERSATION else ""


def _of_line(fields: dict[str, Any]) -> str:
    kind = fields.get("type")
    kind = kind if isinstance(kind, str) else ""
    if fields.keys() >= _CHAT:
        return "chat"
    if (kind == "entity" and fields.keys() >= _ENTITY) or (kind == "relation" and fields.keys() >= _RELATION):
        return "mcp-memory"
    if tdos.is_document(fields):
        return "tdos"
    if kind in _CODEX and isinstance(fields.get("payload"), dict):
        return "codex"
    if kind and fields.keys() & _CLAUDE:
        return "claude-code"
    return "pi" if kind in _PI and "timestamp" in fields and "uuid" not in fields else ""


def _keys(start: bytes) -> set[str]:
    """Returns the keys of a JSON document's object, or of the first object in its list, as far as the start shows them."""
    keys: set[str] = set()
    depth, at = 0, 2 if start[:1] == b"[" else 1
    text = b""
    for token in _TOKEN.finditer(start):
        kind = token.group()[:1]
        if kind == b":" and depth == at:
            keys.add(text.decode("utf-8", "replace"))
        text = token.group()[1:-1] if kind == b'"' else b""
        depth += (kind in b"[{") - (kind in b"]}")
        if kind in b"]}" and depth < at:
            break
    return keys
