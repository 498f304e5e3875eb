"""Importers: from a foreign file to messages, each with its place in the file. They decide nothing and write nothing.

A file has parts, each for one scope. A line that cannot be read is a line with a reason, and the rest goes on. What an
importer carries over and what not stands in docs/guides/importing.md. A store of another system's memories goes another way:
its importer reads it into `importers.stores.Store`, and `scripts.importing` migrates it.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from affidavit.domain.errors import BadInput
from affidavit.domain.messages import Message

if TYPE_CHECKING:
    from affidavit.scripts.importers.stores import StoreReader


@dataclass(frozen=True, slots=True)
class Line:
    """One line or item of a file: a message, the reason why it is bad, or the class of noise that is skipped on purpose.

    `number` is its place, from 1. A line that holds several messages is several of these.
    """

    number: int
    message: Message | None = None
    reason: str = ""
    noise: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """The lines of a file that belong to one scope; `scope` is None where the caller names it."""

    scope: str | None
    lines: Iterator[Line]


@dataclass(frozen=True, slots=True)
class Options:
    """What the caller says about a file: the zone of its naive times, the source's name, and who the user is.

    `zone` is that of the scope that the caller names; a file that names scopes of its own asks `zone_of`.
    """

    zone: str = "UTC"
    source: str = ""
    user: str = ""
    namespace: str = ""
    zones: Mapping[str, str] = field(default_factory=dict)
    new_zone: str = "UTC"

    def zone_of(self, scope: str) -> str:
        """Returns the zone of an open scope, or the one in which a new scope will be opened."""
        return self.zones.get(scope, self.new_zone)


Importer = Callable[[Path, Options], Iterator[Part]]
NEKO = "neko"
"""The format of a folder of N.E.K.O's memories."""


def importers() -> dict[str, Importer]:
    """Returns the importers by the name of their format."""
    from affidavit.scripts.importers import chat, chatgpt, claude_code, codex, locomo, pi  # noqa: PLC0415 - they import this

    return {
        "chat": chat.read,
        "chatgpt": chatgpt.read,
        "claude-code": claude_code.read,
        "codex": codex.read,
        "locomo": locomo.read,
        "pi": pi.read,
    }


def store_readers() -> dict[str, "StoreReader"]:
    """Returns the importers of memory stores by the name of their format."""
    from affidavit.scripts.importers import letta, mcp_memory, mem0, neko, pi_memory, tdos  # noqa: PLC0415 - as above

    return {
        "letta": letta.read,
        "mcp-memory": mcp_memory.read,
        "mem0": mem0.read,
        NEKO: lambda path, options: [neko.read(path, options.zone)],
        "pi-memory": pi_memory.read,
        "tdos": tdos.read,
    }


def formats() -> list[str]:
    """Returns the names of all formats, in order."""
    return sorted((*importers(), *store_readers()))


def detect(path: Path) -> str:
    """Returns the name of a file's or folder's format, by what is in it.

    Raises BadInput if there is no such file or folder, or its format is none that is known.
    """
    from affidavit.scripts.importers.detecting import format_of  # noqa: PLC0415 - it imports this module's types

    if not path.is_file() and not path.is_dir():
        msg = f"{path}: there is no such file"
        raise BadInput(msg)
    if found := format_of(path):
        return found
    msg = f"{path}: the format is not one that affidavit reads ({', '.join(formats())})"
    raise BadInput(msg, remedy="name it with --format")
