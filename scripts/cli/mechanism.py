"""Commands of the evidence mechanism: surface, reply, injected, archive, unarchive, mode, funnel, tick, run."""

import signal
import sys
import threading
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import click

from affidavit.domain.errors import BadInput
from affidavit.projections import answers
from affidavit.scripts.cli import printing
from affidavit.scripts.cli.options import (
    EXTRACTION_FAILED,
    FINDINGS,
    actor_options,
    json_option,
    ledger_options,
    time_options,
    with_ledger,
)
from affidavit.scripts.ledger import Ledger
from affidavit.scripts.mechanism import VERDICTS

if TYPE_CHECKING:
    from affidavit.rebuild.loops import Done

_NOW = click.option("--now", metavar="TIME", help="The moment it happens, ISO 8601; now if left out.")


@click.command()
@click.option("--most", type=click.IntRange(min=1), help="At most so many claims; the policy's three if left out.")
@_NOW
@actor_options
@json_option
@ledger_options
@with_ledger
def surface(ledger: Ledger, most: int | None, now: str | None, as_json: bool) -> None:  # noqa: FBT001
    """Pick the claims to ask the user about, and mark them as asked."""
    found = ledger.surface(most=most, now=now)
    if as_json:
        printing.as_json({"claims": found})
        return
    for one in found:
        click.echo(f"{printing.style(one.claim[:8], fg='cyan')}   {one.form:<13} {one.text}")
    if not found:
        printing.note("nothing to ask about now")


@click.command()
@click.argument("text")
@click.option("--claim", default="", metavar="CLAIM", help="Which surfaced claim it is about; all if left out.")
@click.option(
    "--verdict", type=click.Choice(VERDICTS), default=None, help="What it says; the extractor reads it if left out."
)
@click.option("--quote", default="", help="The words of the reply that say so; a host has to give them.")
@_NOW
@actor_options
@json_option
@ledger_options
@with_ledger
def reply(
    ledger: Ledger,
    text: str,
    claim: str,
    verdict: str | None,
    quote: str,
    now: str | None,
    as_json: bool,  # noqa: FBT001
) -> int:
    """Record the user's reply to what was surfaced (- reads it from stdin), and count what it says."""
    said = sys.stdin.read() if text == "-" else text
    done = ledger.reply(said, claim=claim, verdict=verdict or "", quote=quote, now=now)
    refused = [one for one in done.verdicts if one["refused"]]
    if as_json:
        printing.as_json(done)
        return FINDINGS if refused else 0
    for one in done.verdicts:
        if one["refused"]:
            click.echo("  ".join(part for part in ("refused", one["claim"][:8], one["refused"]) if part))
        else:
            click.echo(f"{one['verdict']}  {one['claim'][:8]}  {one['text']}  position {done.position}")
    if not done.verdicts:
        printing.note(f"recorded {done.evidence[:8]}; what it says is not clear, so nothing was counted: ask again")
    return FINDINGS if refused else 0


@click.command()
@click.argument("manifest", type=click.Path(path_type=Path, allow_dash=True))
@actor_options
@json_option
@ledger_options
@with_ledger
def injected(ledger: Ledger, manifest: Path, as_json: bool) -> int:  # noqa: FBT001
    """Say that a prompt went to a model, by its manifest (- reads it from stdin)."""
    try:
        text = sys.stdin.read() if str(manifest) == "-" else manifest.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        msg = f"{manifest}: a manifest is JSON in UTF-8, and this is none"
        raise BadInput(msg, remedy="give what `affidavit prompt --manifest` printed") from error
    outcome = ledger.injected(text)
    if as_json:
        printing.as_json(outcome)
    elif outcome.refused:
        click.echo(f"refused  {outcome.refused}")
    else:
        click.echo(f"noted; position {outcome.position}")
    return FINDINGS if outcome.refused else 0


@click.group()
def archive() -> None:
    """The archived claims, shard by shard."""


@archive.command(name="list")
@click.option("--as-of", metavar="POSITION|TIME", help="What was recorded up to a position or a time.")
@json_option
@ledger_options
@with_ledger
def archive_list(ledger: Ledger, as_of: str | None, as_json: bool) -> None:  # noqa: FBT001
    """List what is archived."""
    found = ledger.archive(as_of=as_of)
    if as_json:
        printing.as_json({"archived": found})
        return
    for one in found:
        click.echo(f"{one['shard']}  {printing.style(one['id'][:8], fg='cyan')}   {one['form']:<11} {one['text']}")
    if not found:
        printing.note("nothing is archived")


@archive.command(name="show")
@click.argument("claim")
@time_options
@json_option
@ledger_options
@with_ledger
def archive_show(ledger: Ledger, claim: str, as_of: str | None, now: str | None, as_json: bool) -> None:  # noqa: FBT001
    """Show one archived claim: its shard, its state, and why it was archived."""
    with ledger.snapshot(as_of, now) as at:
        found, where = answers.archived_one(at, claim)
    if as_json:
        printing.as_json({"archived": where, "shown": found})
        return
    click.echo(f"shard {where['shard']}, archived {printing.minute(where['archived_at'])}")
    printing.show_claim(found)


@click.command()
@click.argument("claim")
@actor_options
@json_option
@ledger_options
@with_ledger
def unarchive(ledger: Ledger, claim: str, as_json: bool) -> int:  # noqa: FBT001
    """Take a claim back from the archive; its tally of days begins anew."""
    return printing.judged(ledger.unarchive(claim), "unarchived", ledger.show(claim).claim.text, json=as_json)


@click.command()
@click.argument("powerful", type=click.Choice(["on", "off"]), required=False)
@_NOW
@actor_options
@json_option
@ledger_options
@with_ledger
def mode(ledger: Ledger, powerful: str | None, now: str | None, as_json: bool) -> int:  # noqa: FBT001
    """Say whether powerful memory is on, or switch it."""
    if powerful is not None:
        outcome = ledger.switch_mode(powerful=powerful == "on", now=now)
        if outcome.refused:
            return printing.judged(outcome, "switched", "", json=as_json)
    found = ledger.mode()
    if as_json:
        printing.as_json(found)
    else:
        since = f", since {printing.minute(found['since'])}" if found["since"] else ""
        click.echo(f"powerful memory is {'on' if found['powerful'] else 'off'}{since}")
    return 0


@click.command()
@click.option("--since", metavar="TIME", help="Only what occurred from this time on.")
@click.option("--until", metavar="TIME", help="Only what occurred up to this time.")
@click.option("--as-of", metavar="POSITION|TIME", help="What was recorded up to a position or a time.")
@json_option
@ledger_options
@with_ledger
def funnel(ledger: Ledger, since: str | None, until: str | None, as_of: str | None, as_json: bool) -> None:  # noqa: FBT001
    """Count what became of what was said, stage by stage."""
    found = ledger.funnel(since=since, until=until, as_of=as_of)
    if as_json:
        printing.as_json({"stages": found})
        return
    for one in found:
        parts = ", ".join(f"{count} {name}" for name, count in one["by"].items())
        click.echo(f"{one['count']:>7}  {one['stage']}{f'  ({parts})' if parts else ''}")
    if not found:
        printing.note("nothing occurred in this window")


@click.command()
@click.option("--extractor", default="rules", show_default=True, help="Who reads and answers.")
@_NOW
@json_option
@ledger_options
@with_ledger
def tick(ledger: Ledger, extractor: str, now: str | None, as_json: bool) -> int:  # noqa: FBT001
    """Do once whatever is due: reading, promotion, reflections, the archive sweep."""
    done = ledger.tick(now=now, extractor=extractor)
    if as_json:
        printing.as_json({"events": dict(sorted(done.events.items())), "read": done.read, "failed": done.failed})
    else:
        click.echo(_told(done))
    return EXTRACTION_FAILED if done.failed else 0


@click.command()
@click.option("--extractor", default="rules", show_default=True, help="Who reads and answers.")
@ledger_options
@with_ledger
def run(ledger: Ledger, extractor: str) -> int:
    """Work at the policy's intervals until told to stop; one program at a time for a scope."""
    loops = ledger.loops(extractor)
    ended = threading.Event()

    def stop(number: int, frame: FrameType | None) -> None:
        del number, frame
        ended.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    with loops.lease():
        printing.note("running; interrupt to stop")
        done = loops.run(ledger.clock, ended.wait, lambda did: printing.note(_told(did)) if did.events else None)
    click.echo(_told(done))
    return EXTRACTION_FAILED if done.failed else 0


def _told(done: "Done") -> str:
    """Returns what was done, by type of event."""
    counts = ", ".join(f"{count} {kind}" for kind, count in sorted(done.events.items()))
    return f"{counts}; position {done.position}" if counts else "nothing was due"
