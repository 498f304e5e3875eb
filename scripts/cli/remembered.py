"""The command of typed memory: envelope."""

import click

from affidavit.domain.policy import ONE
from affidavit.projections.envelope import formatted
from affidavit.scripts.cli import printing
from affidavit.scripts.cli.options import json_option, ledger_options, with_ledger
from affidavit.scripts.ledger import Ledger


@click.command()
@click.option("--namespace", default="", help="Show this namespace beside the unnamed one.")
@click.option("--max-facts", type=click.IntRange(min=0), default=None, help="At most so many facts; the policy's five.")
@click.option("--now", metavar="TIME", help="When it is judged: an ISO 8601 time.")
@json_option
@ledger_options
@with_ledger
def envelope(ledger: Ledger, namespace: str, max_facts: int | None, now: str | None, as_json: bool) -> None:  # noqa: FBT001
    """Show what is remembered of the user, by confidence; --json lists the shared narratives too."""
    found = ledger.envelope(namespace, now)
    if as_json:
        printing.as_json({"envelope": found, "narratives": ledger.narratives(namespace, now)})
        return
    rules = ledger.policy().envelope
    most = rules.most_facts if max_facts is None else max_facts
    click.echo(printing.harmless(formatted(found, most=most, hedged_below=rules.hedged_below / ONE)))
