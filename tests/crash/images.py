"""What a power cut may leave of the files, at any moment of a recorded run.

Kept: every write that was synced, for ever. Of each file's writes since its last sync, and of its truncations, each is
there, is not, or is torn: any of its sectors of 512 bytes may be there. A file that was made and never synced may be
missing; one that was deleted may be back until its folder was synced, which SQLite does with the first sync of a new
journal or WAL.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from crash.disk import Op

SECTOR = 512


@dataclass(slots=True)
class _Held:
    """One file: what is durable of it, and what was done since."""

    content: bytearray = field(default_factory=bytearray)
    since: list[Op] = field(default_factory=list)
    named: bool = False


class Platter:
    """The files of one folder, as a run goes on."""

    def __init__(self) -> None:
        self.files: dict[str, _Held] = {}
        self.ghosts: dict[str, _Held] = {}
        self.promises: list[Any] = []

    def take(self, op: Op) -> None:
        """Lets one more thing happen."""
        if op.kind == "acknowledged":
            self.promises.append(op.promise)
        elif op.kind == "open":
            self.files.setdefault(op.file, _Held())
        elif op.kind == "delete":
            gone = self.files.pop(op.file, None)
            if op.offset:
                self.ghosts.clear()
            elif gone is not None and gone.named:
                self.ghosts[op.file] = gone
        elif op.kind == "sync":
            held = self.files[op.file]
            for earlier in held.since:
                _apply(held.content, earlier)
            held.since.clear()
            if not held.named and op.file.endswith(("-wal", "-journal")):
                self.ghosts.clear()
                for other in self.files.values():
                    other.named = True
            held.named = True
        else:
            self.files[op.file].since.append(op)

    def after_power_loss(self, chance: random.Random) -> dict[str, bytes]:
        """Returns what may be found of the files if the power goes now."""
        keeps = chance.choice((0.0, 0.2, 0.5, 0.8, 1.0))
        found = {name: _torn(held, keeps, chance) for name, held in self.ghosts.items() if chance.random() < 0.5}
        for name, held in self.files.items():
            if held.named or (name not in found and chance.random() < keeps):
                found[name] = _torn(held, keeps, chance)
        return found


def images(ops: Sequence[Op], count: int, seed: int) -> Iterator[tuple[int, dict[str, bytes], list[Any]]]:
    """Yields (prefix, files, promises) of `count` power cuts, spread evenly over every prefix of the log."""
    chance = random.Random(seed)
    platter = Platter()
    done = 0
    for prefix, op in enumerate(ops, 1):
        platter.take(op)
        while done < count * prefix // len(ops):
            done += 1
            yield prefix, platter.after_power_loss(chance), platter.promises


def write(files: dict[str, bytes], folder: Path) -> None:
    """Puts an image into a folder."""
    for name, content in files.items():
        (folder / name).write_bytes(content)


def _torn(held: _Held, keeps: float, chance: random.Random) -> bytes:
    content = bytearray(held.content)
    for op in held.since:
        if chance.random() < keeps:
            _apply(content, op)
        elif op.kind == "write" and chance.random() < 0.5:
            for start in range(0, len(op.data), SECTOR):
                if chance.random() < 0.5:
                    _apply(content, op._replace(offset=op.offset + start, data=op.data[start : start + SECTOR]))
    return bytes(content)


def _apply(content: bytearray, op: Op) -> None:
    if op.kind == "truncate":
        del content[op.offset :]
        content.extend(bytes(op.offset - len(content)))
        return
    if len(content) < op.offset:
        content.extend(bytes(op.offset - len(content)))
    content[op.offset : op.offset + len(op.data)] = op.data
