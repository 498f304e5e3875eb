"""Commands that derive again: extract and rebuild."""

import click

from affidavit.domain.errors import UsageError
from affidavit.scripts.cli import printing
from affidavit.scripts.cli.options import EXTRACTION_FAILED, FINDINGS, json_option, ledger_options, with_ledger
from affidavit.scripts.ledger import Ledger


@click.command()
@click.option("--extractor", default="rules", show_default=True, help="Who reads.")
@click.option("--all", "again", is_flag=True, help="Read everything again, not only what is unread.")
@json_option
@ledger_options
@with_ledger
def extract(ledger: Ledger, extractor: str, again: bool, as_json: bool) -> int:  # noqa: FBT001
    """Let an extractor read evidence it has not read yet."""
    done = ledger.extract(extractor, again=again)
    counts = {
        "read": done.read,
        "derived": done.derived,
        "reaffirmed": done.reaffirmed,
        "superseded": done.superseded,
        "quarantined": done.quarantined,
        "refused": len(done.refused),
        "failed": done.failed,
        "withheld": done.withheld,
        "pending": done.pending,
        "running": done.running,
    }
    if as_json:
        printing.as_json({"extractor": extractor, **counts, "position": ledger.position})
    else:
        told = ", ".join(f"{count} {name}" for name, count in counts.items() if count) or "nothing to read"
        click.echo(f"{extractor}: {told}; position {ledger.position}")
    if done.pending:
        printing.note("the calls of this hour are spent; what is pending is read later")
    return EXTRACTION_FAILED if done.failed else 0


@click.command()
@click.option("--extractor", default="rules", show_default=True, help="Whose work.")
@click.option("--now", default=None, help="The moment it is judged at, ISO 8601; now if left out.")
@json_option
@ledger_options
@with_ledger
def jobs(ledger: Ledger, extractor: str, now: str | None, as_json: bool) -> None:  # noqa: FBT001
    """Show how an extractor's work stands: what is pending, running, done and failed."""
    found = ledger.jobs(extractor, now=now)
    if as_json:
        printing.as_json(found)
        return
    told = ", ".join(f"{getattr(found, name)} {name}" for name in ("pending", "running", "done", "failed"))
    paused = f" ({found.paused} paused, see `affidavit inbox`)" if found.paused else ""
    calls = f"; {found.calls} of {found.calls_an_hour} calls in the last hour" if found.calls_an_hour else ""
    click.echo(f"{found.extractor}: {told}{paused}{calls}")


@click.command()
@click.option("--check", is_flag=True, help="Compare the views with ones built anew; change nothing.")
@click.option("--index", is_flag=True, help="Make the decision index in the log file anew from the records, not the views.")
@json_option
@ledger_options
@with_ledger
def rebuild(ledger: Ledger, check: bool, index: bool, as_json: bool) -> int:  # noqa: FBT001
    """Build every view anew from the log, beside the old, and swap it in."""
    if check and index:
        raise UsageError("--check and --index were given, one of them is required", remedy="`verify` compares the index")
    if index:
        position = ledger.rebuild_index()
        if as_json:
            printing.as_json({"position": position})
        else:
            click.echo(f"the decision index was made anew; position {position}")
        return 0
    if not check:
        ledger.rebuild()
        if as_json:
            printing.as_json({"position": ledger.position, "views": ledger.status().views})
        else:
            click.echo(f"rebuilt {', '.join(ledger.status().views)}; position {ledger.position}")
        return 0
    found = ledger.check_views()
    if as_json:
        printing.as_json({"views": [{**_plain(one), "agree": one.agree} for one in found]})
    else:
        for one in found:
            click.echo(f"{one.view:<11} {one.scope:<16} live    {one.live or 'unreadable'}")
            click.echo(f"{'':<11} {'':<16} rebuilt {one.rebuilt}{'' if one.agree else '   DIFFERENT'}")
            for row in one.rows:
                click.echo(f"{'':<11} {row}")
    return 0 if all(one.agree for one in found) else FINDINGS


def _plain(one: object) -> dict[str, object]:
    return {name: getattr(one, name) for name in ("view", "scope", "position", "live", "rebuilt", "rows")}
