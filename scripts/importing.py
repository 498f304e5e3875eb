"""Import of one file: its parts, scope by scope, into evidence, and then extraction over what is new."""

from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from affidavit.domain.errors import BadInput, UsageError
from affidavit.domain.messages import Message
from affidavit.domain.proposals import Extractor
from affidavit.scripts.importers import Options, Part, detect, importers
from affidavit.scripts.ledger import Ledger
from affidavit.scripts.outcomes import Imported

if TYPE_CHECKING:
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
    """Imports every part of a file; see `Ledger.import_file`."""
    known = importers()
    named = form or detect(path)
    if named not in known:
        msg = f"there is no format {named!r}; known: {', '.join(sorted(known))}"
        raise BadInput(msg)
    if not path.is_file():
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
    name = part.scope or ledger.scope_name or ledger.only_scope
    _ = ledger.log
    target = ledger.at(name)
    imported = Imported(name, opened=name not in open_scopes, secrets_kept=keep_secrets)
    if imported.opened:
        imported.opened = _open_unless_open(target, name, time_zone)
        open_scopes[name] = time_zone
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
        reason = f"{receipt.refused.actual} was found, {receipt.refused.required} is required; {receipt.refused.remedy}"
        imported.skipped.append({"line": number, "reason": reason})
    elif receipt.repeated or not receipt.events:
        imported.known += 1
    elif receipt.events[0].type_name == "evidence-revised.v1":
        imported.revised += 1
    else:
        imported.recorded += 1


def _extract(target: Ledger, imported: Imported, extractor: str | Extractor, progress: Progress) -> None:
    def report(count: int) -> None:
        if progress:
            progress(f"{imported.scope}: read", count)

    tally = target.extract(extractor, progress=report)
    imported.derived, imported.reaffirmed = tally.derived, tally.reaffirmed
    imported.superseded, imported.quarantined = tally.superseded, tally.quarantined
    imported.refused, imported.failed = len(tally.refused), tally.failed
