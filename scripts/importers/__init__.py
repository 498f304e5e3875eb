"""Importers: from a foreign file to messages, each with its place in the file. They decide nothing and write nothing.

A file has parts, each for one scope. A line that cannot be read is a line with a reason, and the rest goes on. What an
importer carries over and what not stands in docs/guides/importing.md.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from affidavit.domain.errors import BadInput
from affidavit.domain.messages import Message


@dataclass(frozen=True, slots=True)
class Line:
    """One line or item of a file: a message, or the reason why it was skipped. `number` is its place, from 1."""

    number: int
    message: Message | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """The lines of a file that belong to one scope; `scope` is None where the caller names it."""

    scope: str | None
    lines: Iterator[Line]


@dataclass(frozen=True, slots=True)
class Options:
    """What the caller says about a file: the zone of its naive times, the source's name, and who the user is."""

    zone: str = "UTC"
    source: str = ""
    user: str = ""
    namespace: str = ""


Importer = Callable[[Path, Options], Iterator[Part]]


def importers() -> dict[str, Importer]:
    """Returns the importers by the name of their format."""
    from affidavit.scripts.importers import chat, locomo  # noqa: PLC0415 - they import this module's types

    return {"chat": chat.read, "locomo": locomo.read}


def detect(path: Path) -> str:
    """Returns the name of a file's format. Raises BadInput if there is no such file, or it is none that we read."""
    if not path.is_file():
        msg = f"{path}: there is no such file"
        raise BadInput(msg)
    with path.open("rb") as file:
        start = file.read(4096).lstrip(b"\xef\xbb\xbf \t\r\n")
    if start.startswith(b"["):
        return "locomo"
    if start.startswith(b"{") or not start:
        return "chat"
    msg = f"{path}: the format is not one that affidavit reads ({', '.join(sorted(importers()))})"
    raise BadInput(msg, remedy="name it with --format")
