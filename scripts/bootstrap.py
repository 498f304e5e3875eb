"""The one composition root: it picks the recorder, clock, keys, views and extractors. Nothing else names a concrete one."""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from affidavit.domain.errors import IntegrityFault, UsageError
from affidavit.domain.proposals import Extractor
from affidavit.journal import records
from affidavit.journal.failures import ours
from affidavit.journal.files import sync
from affidavit.journal.ids import IdSource
from affidavit.journal.indexing import bring_up_to_date
from affidavit.journal.keys import KeyStore, Random
from affidavit.journal.recorder import LedgerDatastore
from affidavit.journal.vault import Vault
from affidavit.projections.active import Active
from affidavit.projections.archive import Archive
from affidavit.projections.inbox import Inbox
from affidavit.projections.prompt import Prompt
from affidavit.projections.provenance import Provenance
from affidavit.projections.timeline import Timeline
from affidavit.projections.views import Projection, Views

if TYPE_CHECKING:
    from affidavit.journal.log import Log

LEDGER_VARIABLE = "AFFIDAVIT_LEDGER"
KEYS_VARIABLE = "AFFIDAVIT_KEYS"

PROJECTIONS: tuple[type[Projection], ...] = (Active, Provenance, Timeline, Prompt, Inbox, Archive)
"""Every view of a ledger."""

_EXTRACTORS = {"rules": ("affidavit.rebuild.extractors.rules", "Rules")}


@dataclass(frozen=True, slots=True)
class Store:
    """The parts of an open ledger. The log, which writes, is made when it is first asked for."""

    folder: Path
    datastore: LedgerDatastore
    vault: Vault
    views: Views
    clock: Callable[[], int]
    new_id: IdSource

    def log(self) -> "Log":
        """Returns the writing side; it loads pydantic, which reads do without."""
        from affidavit.journal.log import Log  # noqa: PLC0415 - reads on the command line load no pydantic

        return Log(self.datastore, self.vault, self.clock, self.new_id)


def system_clock() -> int:
    """Returns the time in microseconds since 1970 UTC."""
    return time.time_ns() // 1000


def store(
    folder: Path,
    *,
    keys: Path | None = None,
    create: bool = False,
    check: bool = True,
    clock: Callable[[], int] = system_clock,
    random: Random = os.urandom,
) -> Store:
    """Opens the parts of a ledger, or creates them.

    `check` brings a log of an earlier format up to ours and compares its end with the heads that are remembered. Without
    it nothing is changed and what is damaged can be looked at.

    Raises UsageError if there is none, KeyMissing without its keys, FormatTooNew, and IntegrityFault where the log ends
    below a head that is remembered.
    """
    with ours():
        opened = _store(folder, keys=keys, create=create, clock=clock, random=random)
        if check and not create:
            bring_up_to_date(opened.datastore)
            check_head(opened)
        return opened


def _store(folder: Path, *, keys: Path | None, create: bool, clock: Callable[[], int], random: Random) -> Store:
    log_file = folder / "log.db"
    if not create and not log_file.exists():
        msg = f"{folder}: there is no ledger"
        raise UsageError(msg, remedy=f"make one with `affidavit init --ledger {folder} --scope NAME`")
    if create:
        missing = [parent for parent in (folder, *folder.absolute().parents) if not parent.exists()]
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for made in missing:
            sync(made.absolute().parent)
    given = keys or os.environ.get(KEYS_VARIABLE)
    key_store = KeyStore(Path(given) if given else folder / "keys.db", random, create=create)
    vault = Vault(key_store, random)
    return Store(folder, datastore(log_file), vault, Views(folder / "views"), clock, IdSource(clock, random))


def datastore(log_file: Path) -> LedgerDatastore:
    """Returns the datastore of a log file."""
    return LedgerDatastore(str(log_file))


_CUT = (
    "run `affidavit verify` and restore a backup of log and keys; where an older pair was put here on purpose, remove "
    "log.db.lock too, while nothing uses the ledger"
)


def check_head(opened: Store) -> None:
    """Compares the log with the heads that are remembered: beside the keys, and by its last writer beside the log.

    Raises IntegrityFault where the log is behind one of them.
    """
    heads = ((opened.vault.keys.remembered_head(), "beside the keys"), (opened.datastore.noted(), "by its last writer"))
    remembered = [(*head, where) for head, where in heads if head is not None]
    if not remembered:
        return  # Nothing was acknowledged yet; the log may not even have its tables.
    with opened.datastore.read() as connection:
        end = records.last_position(connection)
        for position, link, where in remembered:
            if end < position:
                msg = f"the log ends at position {end}, and position {position} is remembered {where}: its end was cut"
                raise IntegrityFault(msg, position=end + 1, remedy=_CUT)
            if records.at(connection, position).link != link:
                msg = f"position {position}: this is not the log that is remembered {where}"
                raise IntegrityFault(msg, position=position)
        records.head(connection)


def extractor(name: str) -> Extractor:
    """Returns an extractor by its name. Raises UsageError for an unknown one."""
    if name not in _EXTRACTORS:
        msg = f"there is no extractor {name!r}; known: {', '.join(sorted(_EXTRACTORS))}"
        raise UsageError(msg)
    module, attribute = _EXTRACTORS[name]
    made: Extractor = getattr(import_module(module), attribute)()
    return made
