"""Commands by which a person judges a claim, besides those of `write`: forget, resolve, undo."""

import click

from affidavit.scripts.cli import printing
from affidavit.scripts.cli.options import actor_options, json_option, ledger_options, with_ledger
from affidavit.scripts.ledger import Ledger


@click.command()
@click.argument("claim")
@actor_options
@json_option
@ledger_options
@with_ledger
def forget(ledger: Ledger, claim: str, as_json: bool) -> int:  # noqa: FBT001
    """Hide a claim: it stays in the log, and its value is not believed again."""
    return printing.judged(ledger.forget(claim), "forgotten", ledger.show(claim).claim.text, json=as_json)


@click.command()
@click.argument("claim")
@click.argument("disposition", type=click.Choice(["keep-old", "keep-new", "keep-both", "remove-both", "manual"]))
@click.option("--text", default="", help="What is right instead, with manual.")
@click.option("--keep-secrets", is_flag=True, help="Keep passwords and keys in the text.")
@actor_options
@json_option
@ledger_options
@with_ledger
def resolve(
    ledger: Ledger,
    claim: str,
    disposition: str,
    text: str,
    keep_secrets: bool,  # noqa: FBT001
    as_json: bool,  # noqa: FBT001
) -> int:
    """Decide a matter of the inbox: between a claim that was held back, or rejected, and those it conflicts with."""
    outcome = ledger.resolve(claim, disposition, text=text, keep_secrets=keep_secrets)
    return printing.judged(outcome, f"resolved by {disposition}", ledger.show(claim).claim.text, json=as_json)


@click.command()
@click.argument("position", type=int)
@actor_options
@json_option
@ledger_options
@with_ledger
def undo(ledger: Ledger, position: int, as_json: bool) -> int:  # noqa: FBT001
    """Take back what was changed at a position that `history` or `timeline` prints; nothing, if it has changed since."""
    outcome = ledger.undo(position)
    text = ledger.show(outcome.claim).claim.text if outcome.claim else ""
    return printing.judged(outcome, "undone", text, json=as_json)
