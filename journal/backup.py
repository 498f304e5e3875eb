"""Backup and restore of log and keys, as one pair that belongs together, while writers go on.

The log is copied first and the keys after it, both by SQLite's online backup: every key that a copied record needs was
durable before that record, so the copied keys hold it; a key too many is harmless. The copied keys remember the head of
the copied log. A restore is made beside, verified as a whole, and moved into place by one rename; it never writes over a
ledger. Half of a pair is refused, and what would be lost is said. Views are not copied: they follow from the log.
"""

import json
import shutil
import sqlite3
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from affidavit.domain.errors import IntegrityFault, KeyMissing, UsageError
from affidavit.journal import records
from affidavit.journal.files import sync
from affidavit.journal.indexing import Datastore, bring_up_to_date
from affidavit.journal.keys import KeyStore, kek_file
from affidavit.journal.vault import Vault
from affidavit.journal.verify import verify

LOG, KEYS, MANIFEST = "log.db", "keys.db", "backup.json"
FORMAT = 1


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a backup holds: the ledger's id, the head of its log, and whether the key-encryption key is in it."""

    format: int
    ledger: str
    position: int
    head: str
    kek: bool


def back_up(log: Path, keys: KeyStore, target: Path) -> Manifest:
    """Copies log and keys into a new folder, mode 0700, and returns its manifest.

    Raises UsageError if the folder exists and is not empty.
    """
    if target.exists() and any(target.iterdir()):
        msg = f"{target}: the folder is not empty"
        raise UsageError(msg, remedy="name a new one; a backup never writes over another")
    target.mkdir(mode=0o700, parents=True, exist_ok=True)
    _copy(log, target / LOG)
    _copy(keys.path, target / KEYS)
    with _opened(target / LOG) as copy:
        head = records.head(copy)
    _remember(target / KEYS, head)
    kek = kek_file(keys.path)
    if kek.exists():
        shutil.copyfile(kek, target / kek_file(Path(KEYS)).name)
        (target / kek.name).chmod(0o600)
    manifest = Manifest(FORMAT, keys.ledger.hex(), head.position, head.link.hex(), kek=kek.exists())
    (target / MANIFEST).write_text(json.dumps(asdict(manifest), indent=2) + "\n", encoding="utf-8")
    _sync_all(target)
    return manifest


def restore(source: Path, target: Path, opened: Callable[[Path], Datastore]) -> Manifest:
    """Makes a ledger of a backup, verified before it is in place; returns the backup's manifest.

    `opened` opens a log file. Raises UsageError where the target exists or the source is no backup, KeyMissing or
    IntegrityFault for half of a pair or a pair that does not verify; the target is not made then.
    """
    if target.exists():
        msg = f"{target}: something is there already"
        raise UsageError(msg, remedy="name a folder that does not exist; a restore never writes over a ledger")
    manifest = read_manifest(source)
    _check_pair(source, manifest)
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    beside = Path(tempfile.mkdtemp(prefix=f".{target.name}.restoring-", dir=target.parent))
    try:
        for name in (LOG, KEYS, kek_file(Path(KEYS)).name):
            if (source / name).exists():
                shutil.copyfile(source / name, beside / name)
                (beside / name).chmod(0o600)
        _verify(beside, manifest, opened)
        for path in beside.glob("*.db-*"):
            path.unlink()
        _sync_all(beside)
        beside.rename(target)
        sync(target.parent)
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return manifest


def read_manifest(source: Path) -> Manifest:
    """Returns what a backup says it holds. Raises UsageError where it is none that we can read."""
    try:
        found = Manifest(**json.loads((source / MANIFEST).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError) as error:
        msg = f"{source}: there is no backup ({MANIFEST} is missing or cannot be read)"
        raise UsageError(msg) from error
    if found.format > FORMAT:
        msg = f"{source}: the backup has format {found.format}, this affidavit reads up to {FORMAT}"
        raise UsageError(msg, remedy="install a newer affidavit")
    return found


def _check_pair(source: Path, manifest: Manifest) -> None:
    if not (source / LOG).exists():
        msg = f"{source}: the log is missing; keys alone hold nothing: {manifest.position} records would be lost"
        raise IntegrityFault(msg, remedy="find the log.db of this backup")
    if not (source / KEYS).exists():
        with _opened(source / LOG) as log:
            texts = log.execute("SELECT count(*) FROM blobs").fetchone()[0]
        msg = f"{source}: the keys are missing; without them {texts} sealed texts of {manifest.position} records are lost"
        raise KeyMissing(msg, remedy="find the keys.db of this backup")


def _verify(folder: Path, manifest: Manifest, opened: Callable[[Path], Datastore]) -> None:
    keys = KeyStore(folder / KEYS)
    datastore = opened(folder / LOG)
    try:
        bring_up_to_date(datastore)
        report = verify(datastore, Vault(keys))
    finally:
        datastore.close()
        keys.close()
    if report.faults:
        first = report.faults[0]
        msg = f"the backup does not verify: {first.kind} at position {first.position}: {first.sentence}"
        raise IntegrityFault(msg, position=first.position, remedy="use an older backup")
    if (report.position, report.head, keys.ledger.hex()) != (manifest.position, manifest.head, manifest.ledger):
        msg = f"the log ends at position {report.position}, the backup's manifest says {manifest.position}"
        raise IntegrityFault(msg, position=report.position, remedy="use an older backup")


def _sync_all(folder: Path) -> None:
    for path in (*folder.iterdir(), folder):
        sync(path)


def _opened(path: Path) -> sqlite3.Connection:
    return _Closing(f"{path.absolute().as_uri()}?mode=ro", uri=True)


class _Closing(sqlite3.Connection):
    """A connection that is closed, not committed, at the end of its block."""

    def __exit__(self, *_: object) -> None:  # type: ignore[override] # the base class may swallow an error
        self.close()


def _copy(source: Path, target: Path) -> None:
    with _Closing(source) as old, _Closing(target) as new:
        old.backup(new)
        new.execute("PRAGMA journal_mode = DELETE")
    target.chmod(0o600)


def _remember(keys: Path, head: records.Head) -> None:
    with _Closing(keys, isolation_level=None) as copy:
        copy.execute("DELETE FROM head")
        if head.position:
            copy.execute("INSERT INTO head VALUES (1, ?, ?)", (head.position, head.link))
