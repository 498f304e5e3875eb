"""Import of one file: its parts, scope by scope, into evidence, and then extraction over what is new.

A folder of another system's memories goes into one scope, and each memory becomes evidence and a claim at once: nothing is
left for an extractor to read.
"""

from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from affidavit.domain.claims import ClaimAsserted, ClaimDerived, ClaimQuarantined, ClaimSuperseded
from affidavit.domain.errors import BadInput, UsageError
from affidavit.domain.messages import Message
from affidavit.domain.proposals import Extractor
from affidavit.domain.scopes import WriteRefused
from affidavit.scripts.importers import NEKO, Options, Part, detect, formats, importers, neko
from affidavit.scripts.ledger import Ledger
from affidavit.scripts.outcomes import Imported

if TYPE_CHECKING:
    from affidavit.domain.decisions import Refused
    from affidavit.journal.log import Receipt
    from affidavit.journal.migrating import Migrated
    from affidavit.journal.verbs import Recorded

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
    if named == NEKO:
        return [_import_memories(ledger, path, options, open_scopes, progress, keep_secrets=keep_secrets)]
    parts = known[named](path, options)
    return [
        _import_part(ledger, part, time_zone, open_scopes, extractor, progress, keep_secrets=keep_secrets) for part in parts
    ]


def _import_part(
    ledger: Ledger,
    part: Part,
    time_zone: str,
    open_scopes: dict[str, str],
    extractor: str | Extractor | None,
    progress: Progress,
    *,
    keep_secrets: bool,
) -> Imported:
    target, imported = _opened(ledger, part.scope, time_zone, open_scopes, keep_secrets=keep_secrets)
    name = imported.scope
    numbers: deque[int] = deque()
    messages = _messages(part, numbers, imported)
    for count, recorded in enumerate(target.record(messages, keep_secrets=keep_secrets), 1):
        _count(recorded, numbers.popleft(), imported)
        if progress:
            progress(f"{name}: recorded", count)
    imported.skipped.sort(key=lambda skipped: int(skipped["line"]))
    if extractor is not None:
        _extract(target, imported, extractor, progress)
    imported.position = target.position
    return imported


def _import_memories(
    ledger: Ledger,
    path: Path,
    options: Options,
    open_scopes: dict[str, str],
    progress: Progress,
    *,
    keep_secrets: bool,
) -> Imported:
    folder = neko.read(path, options.zone)
    target, imported = _opened(ledger, None, options.new_zone, open_scopes, keep_secrets=keep_secrets)
    imported.skipped = [{"place": place, "reason": reason} for place, reason in folder.skipped]
    imported.noise = dict(folder.left_out)
    keys = {memory.key for memory in folder.memories}
    gone = sum(parent not in keys for memory in folder.memories for parent in memory.parents)
    if gone:
        imported.noise["parents that the folder holds no more"] = gone
    source = options.source or NEKO
    migrated = target.migrate(folder.memories, source=source, namespace=options.namespace, keep_secrets=keep_secrets)
    for count, one in enumerate(migrated, 1):
        _count_memory(one, imported)
        if progress:
            progress(f"{imported.scope}: migrated", count)
    imported.position = target.position
    return imported


def _opened(
    ledger: Ledger, scope: str | None, time_zone: str, open_scopes: dict[str, str], *, keep_secrets: bool
) -> tuple[Ledger, Imported]:
    """Returns the ledger looked at as the scope to be filled, opened if it was not, and the count to be kept."""
    name = scope or ledger.scope_name or ledger.only_scope
    _ = ledger.log
    target = ledger.at(name)
    imported = Imported(name, opened=name not in open_scopes, secrets_kept=keep_secrets)
    if imported.opened:
        imported.opened = _open_unless_open(target, name, time_zone)
        open_scopes[name] = time_zone
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


def _messages(part: Part, numbers: deque[int], imported: Imported) -> Iterator[Message]:
    for line in part.lines:
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
    imported.derived, imported.reaffirmed = tally.derived, tally.reaffirmed
    imported.superseded, imported.quarantined = tally.superseded, tally.quarantined
    imported.refused, imported.failed = len(tally.refused), tally.failed
