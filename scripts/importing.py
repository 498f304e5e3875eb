"""Import of one file: its parts, scope by scope, into evidence, and then extraction over what is new.

In a store of another system's memories each memory becomes evidence and a claim at once: nothing is left for an extractor to
read. What a store holds of messages beside them is recorded and read as those of any file.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from affidavit.domain.claims import ClaimAsserted, ClaimDerived, ClaimQuarantined, ClaimSuperseded
from affidavit.domain.errors import BadInput, UsageError
from affidavit.domain.messages import Message
from affidavit.domain.proposals import Extractor
from affidavit.domain.scopes import WriteRefused
from affidavit.scripts.importers import NEKO, Line, Options, detect, formats, importers, store_readers
from affidavit.scripts.ledger import Ledger
from affidavit.scripts.outcomes import Imported

if TYPE_CHECKING:
    from affidavit.domain.decisions import Refused
    from affidavit.journal.log import Receipt
    from affidavit.journal.migrating import Migrated
    from affidavit.journal.verbs import Recorded
    from affidavit.scripts.importers.stores import Store

Progress = Callable[[str, int], None] | None


def import_file(
    ledger: Ledger,
    path: Path,
    *,
    form: str,
    source: str,
    user: str,
    namespace: str,
    time_zone: str,
    keep_secrets: bool,
    extractor: str | Extractor | None,
    progress: Progress,
) -> list[Imported]:
    """Imports every part of a file, or a folder; see `Ledger.import_file`."""
    known = importers()
    named = form or detect(path)
    if named not in formats():
        msg = f"there is no format {named!r}; known: {', '.join(formats())}"
        raise BadInput(msg)
    if named != NEKO and not path.is_file():
        msg = f"{path}: there is no such file"
        raise BadInput(msg)
    open_scopes = {scope.name: scope.time_zone for scope in ledger.scopes()}
    target = ledger.scope_name or (next(iter(open_scopes)) if len(open_scopes) == 1 else "")
    options = Options(
        zone=open_scopes.get(target, time_zone),
        source=source,
        user=user,
        namespace=namespace,
        zones=open_scopes,
        new_zone=time_zone,
    )
    common = _Import(ledger, named, options, time_zone, open_scopes, extractor, progress, keep_secrets=keep_secrets)
    if named in store_readers():
        # All of it is read before anything is written: what refuses a store refuses it whole.
        return [common.store(store) for store in list(store_readers()[named](path, options))]
    return [common.part(part.scope, part.lines) for part in known[named](path, options)]


@dataclass(frozen=True, slots=True)
class _Import:
    """What all parts of an import have in common."""

    ledger: Ledger
    form: str
    options: Options
    time_zone: str
    open_scopes: dict[str, str]
    extractor: str | Extractor | None
    progress: Progress
    _: KW_ONLY
    keep_secrets: bool

    def part(self, scope: str | None, lines: Iterable[Line]) -> Imported:
        """Imports messages for one scope."""
        target, imported = self._opened(scope)
        self._record(target, lines, imported)
        imported.position = target.position
        return imported

    def store(self, store: "Store") -> Imported:
        """Imports what a store holds for one scope: its memories, then the messages beside them."""
        target, imported = self._opened(store.scope)
        imported.skipped = [{"place": place, "reason": reason} for place, reason in store.skipped]
        imported.noise = dict(store.left_out)
        keys = {memory.key for memory in store.memories}
        gone = sum(parent not in keys for memory in store.memories for parent in memory.parents)
        if gone:
            imported.noise["parents that the folder holds no more"] = gone
        migrated = target.migrate(
            store.memories,
            source=self.options.source or self.form,
            namespace=self.options.namespace,
            keep_secrets=self.keep_secrets,
        )
        for count, one in enumerate(migrated, 1):
            _count_memory(one, imported)
            if self.progress:
                self.progress(f"{imported.scope}: migrated", count)
        self._record(target, store.lines, imported)
        imported.position = target.position
        return imported

    def _record(self, target: Ledger, lines: Iterable[Line], imported: Imported) -> None:
        """Records messages, and lets the extractor read what is new; a store without any has nothing to be read."""
        numbers: deque[int] = deque()
        messages = _messages(lines, numbers, imported)
        count = 0
        for count, recorded in enumerate(target.record(messages, keep_secrets=self.keep_secrets), 1):
            _count(recorded, numbers.popleft(), imported)
            if self.progress:
                self.progress(f"{imported.scope}: recorded", count)
        imported.skipped.sort(key=lambda skipped: int(skipped.get("line", 0)))
        if self.extractor is not None and (count or self.form not in store_readers()):
            _extract(target, imported, self.extractor, self.progress)

    def _opened(self, scope: str | None) -> tuple[Ledger, Imported]:
        """Returns the ledger looked at as the scope to be filled, opened if it was not, and the count to be kept."""
        name = scope or self.ledger.scope_name or self.ledger.only_scope
        _ = self.ledger.log
        target = self.ledger.at(name)
        imported = Imported(name, format=self.form, opened=name not in self.open_scopes, secrets_kept=self.keep_secrets)
        if imported.opened:
            imported.opened = _open_unless_open(target, name, self.time_zone)
            self.open_scopes[name] = self.time_zone
        return target, imported


def _open_unless_open(target: Ledger, name: str, time_zone: str) -> bool:
    """Opens a scope; False where another program has opened it meanwhile."""
    try:
        target.open_scope(name, time_zone)
    except UsageError:
        if name not in {scope.name for scope in target.scopes()}:
            raise
        return False
    return True


def _messages(lines: Iterable[Line], numbers: deque[int], imported: Imported) -> Iterator[Message]:
    for line in lines:
        if line.noise:
            imported.noise[line.noise] = imported.noise.get(line.noise, 0) + 1
        elif line.message is None:
            imported.skipped.append({"line": line.number, "reason": line.reason})
        else:
            numbers.append(line.number)
            yield line.message


def _count(recorded: "Recorded", number: int, imported: Imported) -> None:
    receipt = recorded.receipt
    imported.secrets += [
        {"line": number, "message": recorded.message.id, "kind": secret.kind, "text_line": secret.line}
        for secret in recorded.secrets
    ]
    if receipt.refused:
        imported.skipped.append({"line": number, "reason": _reason(receipt.refused)})
    else:
        _count_evidence(receipt, imported)


def _count_evidence(receipt: "Receipt", imported: Imported) -> None:
    if receipt.repeated or not receipt.events:
        imported.known += 1
    elif receipt.events[0].type_name == "evidence-revised.v1":
        imported.revised += 1
    else:
        imported.recorded += 1


def _count_memory(migrated: "Migrated", imported: Imported) -> None:
    memory, claimed = migrated.memory, migrated.claimed
    imported.secrets += [
        {"place": memory.place, "message": memory.key, "kind": secret.kind, "text_line": secret.line}
        for secret in migrated.secrets
    ]
    if not migrated.recorded.refused:
        _count_evidence(migrated.recorded, imported)
    if claimed.refused:
        imported.skipped.append({"place": memory.place, "reason": _reason(claimed.refused)})
        return
    for event in claimed.events:
        match event:
            case ClaimDerived(content=None):
                imported.supported += 1
            case ClaimDerived() | ClaimAsserted():
                imported.derived += 1
            case ClaimSuperseded():
                imported.superseded += 1
            case ClaimQuarantined():
                imported.quarantined += 1
            case WriteRefused():
                imported.refused += 1
                reason = f"{event.actual} was found, {event.required} is required; {event.remedy}"
                imported.skipped.append({"place": memory.place, "reason": reason})
            case _:
                pass


def _reason(refused: "Refused") -> str:
    reason = f"{refused.actual} was found, {refused.required} is required"
    return f"{reason}; {refused.remedy}" if refused.remedy else reason


def _extract(target: Ledger, imported: Imported, extractor: str | Extractor, progress: Progress) -> None:
    def report(count: int) -> None:
        if progress:
            progress(f"{imported.scope}: read", count)

    tally = target.extract(extractor, progress=report)
    imported.derived += tally.derived
    imported.reaffirmed += tally.reaffirmed
    imported.superseded += tally.superseded
    imported.quarantined += tally.quarantined
    imported.refused += len(tally.refused)
    imported.failed += tally.failed
    imported.pending += tally.pending + tally.running
