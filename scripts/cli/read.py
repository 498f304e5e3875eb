"""Commands that read: claims, show, why, history, evidence, timeline, prompt, context, inbox. None writes to the log."""

from typing import Any

import click

from affidavit.projections import answers
from affidavit.projections.prompt import Rendered
from affidavit.scripts.cli import printing
from affidavit.scripts.cli.options import json_option, ledger_options, time_options, with_ledger
from affidavit.scripts.ledger import Ledger


@click.command()
@click.option("--all", "every", is_flag=True, help="Also claims that are not live.")
@click.option("--status", default="", metavar="STATUS", help="Only claims of one status, such as superseded.")
@click.option("--limit", type=int, default=None, metavar="N", help="One page of so many, in the order they came in.")
@click.option("--after", default="", metavar="CLAIM", help="The page after this claim.")
@time_options
@json_option
@ledger_options
@with_ledger
def claims(
    ledger: Ledger,
    every: bool,  # noqa: FBT001
    status: str,
    limit: int | None,
    after: str,
    as_of: str | None,
    now: str | None,
    as_json: bool,  # noqa: FBT001
) -> None:
    """List what is believed."""
    with ledger.snapshot(as_of, now) as at:
        found = answers.listed(at, every=every, status=status, limit=limit, after=after)
        position = at.position
    if as_json:
        printing.as_json({"position": position, "claims": found})
        return
    for claim in found:
        click.echo(printing.claim_line(claim))
    if not found:
        printing.note("no claims" if every or status else "no live claims; --all shows the others")


@click.command()
@click.argument("claim")
@time_options
@json_option
@ledger_options
@with_ledger
def show(ledger: Ledger, claim: str, as_of: str | None, now: str | None, as_json: bool) -> None:  # noqa: FBT001
    """Show one claim: state, numbers and formulas."""
    found = ledger.show(claim, as_of=as_of, now=now)
    if as_json:
        printing.as_json(found)
    else:
        printing.show_claim(found)


@click.command()
@click.argument("claim")
@time_options
@json_option
@ledger_options
@with_ledger
def why(ledger: Ledger, claim: str, as_of: str | None, now: str | None, as_json: bool) -> None:  # noqa: FBT001
    """Trace a claim to the words it came from."""
    found = ledger.why(claim, as_of=as_of, now=now)
    if as_json:
        printing.as_json(found)
    else:
        printing.show_why(found)


@click.command()
@click.argument("claim")
@time_options
@json_option
@ledger_options
@with_ledger
def history(ledger: Ledger, claim: str, as_of: str | None, now: str | None, as_json: bool) -> None:  # noqa: FBT001
    """List everything that happened to a claim."""
    del now
    steps = ledger.history(claim, as_of=as_of)
    if as_json:
        printing.as_json({"claim": ledger.show(claim, as_of=as_of).claim.id, "events": steps})
    else:
        printing.show_history(steps)


@click.command()
@click.argument("item", default="")
@time_options
@json_option
@ledger_options
@with_ledger
def evidence(ledger: Ledger, item: str, as_of: str | None, now: str | None, as_json: bool) -> None:  # noqa: FBT001
    """List the evidence, or show one piece of it, and what was derived from it."""
    del now
    found = ledger.evidence(item, as_of=as_of)
    if as_json:
        printing.as_json({"evidence": found})
        return
    for one in found:
        who = one.speaker or one.role
        text = printing.harmless(one.text if item else " ".join(one.text.split())[:90])
        click.echo(f"{one.id[:8]}  {one.occurred_at[:16].replace('T', ' ')}  {who:<12.12} {text}")
        if item:
            place = " · ".join(part for part in (one.source, one.session, one.message) if part)
            click.echo(f"          {place}, role {one.role}, revision {one.revision}")
            for line in [*(f"claim {claim[:8]}" for claim in one.claims), *one.readings]:
                click.echo(f"          {line}")


@click.command()
@click.option("--after", type=int, default=0, metavar="POSITION", help="Only what was recorded after this position.")
@time_options
@json_option
@ledger_options
@with_ledger
def timeline(ledger: Ledger, after: int, as_of: str | None, now: str | None, as_json: bool) -> None:  # noqa: FBT001
    """List the scope's events, in order."""
    del now
    found = ledger.timeline(after=after, as_of=as_of)
    if as_json:
        printing.as_json({"events": found})
        return
    for event in found:
        about = event.get("claim") or event.get("text") or event.get("message") or event.get("name") or ""
        click.echo(f"{event['position']:>6}  {event['occurred_at'][:16].replace('T', ' ')}  {event['type']:<21} {about}")


@click.command()
@click.option("--budget", type=click.IntRange(min=1), help="At most so many tokens for the whole.")
@click.option("--namespace", default="", help="Show this namespace beside the unnamed one.")
@click.option("--manifest", is_flag=True, help="Print the manifest, as JSON, instead of the text.")
@time_options
@json_option
@ledger_options
@with_ledger
def prompt(
    ledger: Ledger,
    budget: int | None,
    namespace: str,
    manifest: bool,  # noqa: FBT001
    as_of: str | None,
    now: str | None,
    as_json: bool,  # noqa: FBT001
) -> None:
    """Render the text that goes to a model, with its manifest."""
    found = ledger.prompt(budget=budget, namespace=namespace, as_of=as_of, now=now)
    if as_json or manifest:
        printing.as_json({"text": found.text, "manifest": found.manifest} if as_json else found.manifest)
    else:
        click.echo(found.text, nl=False)
    _say_what_age_emptied(found, now)


@click.command()
@click.argument("query")
@click.option("--budget", type=click.IntRange(min=1), help="At most so many tokens.")
@time_options
@json_option
@ledger_options
@with_ledger
def context(
    ledger: Ledger,
    query: str,
    budget: int | None,
    as_of: str | None,
    now: str | None,
    as_json: bool,  # noqa: FBT001
) -> None:
    """Recall the claims that bear on a query, within a budget."""
    found = ledger.context(query, budget, as_of=as_of, now=now)
    if as_json:
        printing.as_json({"claims": found})
        return
    for claim in found:
        click.echo(printing.claim_line(claim))
    if not found:
        printing.note("no live claim shares a word with the query")


@click.command()
@click.option("--refusals", is_flag=True, help="Also plain refusals, which wait for nobody.")
@time_options
@json_option
@ledger_options
@with_ledger
def inbox(ledger: Ledger, refusals: bool, as_of: str | None, now: str | None, as_json: bool) -> None:  # noqa: FBT001
    """List what waits for a person: conflicts, quarantined claims, orphans, dead letters."""
    del now
    found = ledger.inbox(as_of=as_of)
    if as_json:
        printing.as_json({"matters": found})
        return
    shown = [matter for matter in found if refusals or matter["class"] != "refused"]
    for matter in shown:
        click.echo(_matter_line(matter))
        if matter.get("remedy"):
            click.echo(f"{'':<12} {'':<8}  {matter['remedy']}")
    hidden = len(found) - len(shown)
    if not shown:
        printing.note("nothing waits for a person")
    if hidden:
        printing.note(f"{hidden} plain refusal(s) not shown; --refusals shows them")


def _matter_line(matter: dict[str, Any]) -> str:
    # A conflict is resolved at the rejected claim, which a later statement met.
    met = matter.get("bound_to", "") if matter["class"] == "conflict" else ""
    claim = met[:8] or matter.get("claim", "")[:8] or matter.get("evidence", "")[:8]
    detail = matter.get("error") or matter.get("actual") or ""
    bound = f", against {matter['bound_to'][:8]} {matter['against']}" if matter.get("against") and not met else ""
    return f"{matter['class']:<12} {claim:<8}  {matter['text']}  ({matter['rule']}{': ' + detail if detail else ''}{bound})"


def _say_what_age_emptied(found: Rendered, now: str | None) -> None:
    for section in found.manifest["sections"]:
        dormant = sum(1 for omitted in section["omitted"] if omitted["reason"] == "dormant")
        if dormant and not section["claims"]:
            hint = "" if now else "; --now TIME judges them at another moment"
            printing.note(f"section {section['section']} is empty: {dormant} claim(s) are dormant by age{hint}")
