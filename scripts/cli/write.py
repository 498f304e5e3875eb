"""Commands that write: remember, import, correct, reject, feedback, pin, unpin. What they print is what is durable."""

import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from affidavit.domain.roles import VOICES
from affidavit.scripts.cli import printing
from affidavit.scripts.cli.options import (
    EXTRACTION_FAILED,
    FINDINGS,
    actor_options,
    json_option,
    ledger_options,
    with_ledger,
)
from affidavit.scripts.importers import store_readers
from affidavit.scripts.judging import VERDICTS
from affidavit.scripts.ledger import Ledger
from affidavit.scripts.machine import time_zone as machine_zone
from affidavit.scripts.outcomes import Imported, Remembered

_TONES = ("playful", "warm", "funny", "inside_joke")


@click.command()
@click.argument("text")
@click.option("--role", "voice", type=click.Choice(sorted(VOICES)), default="user", show_default=True, help="Whose words.")
@click.option("--name", default="", help="The speaker's name.")
@click.option("--time", default=None, help="When it was said, ISO 8601; now if left out.")
@click.option("--id", "message", default=None, help="The source's own id; a known one adds nothing.")
@click.option("--session", default="", help="The session it belongs to.")
@click.option("--namespace", default="", help="A label inside the scope, such as a project.")
@click.option("--target", "targets", multiple=True, metavar="CLAIM", help="A piece of work that a tool's result is about.")
@click.option("--as-claim", is_flag=True, help="Hold the text itself as your own assertion.")
@click.option("--narrative", type=click.Choice(_TONES), help="Keep it apart, as a narrative of this tone.")
@click.option("--no-extract", is_flag=True, help="Only record it.")
@click.option("--keep-secrets", is_flag=True, help="Keep passwords and keys in the text; the evidence says so.")
@click.option("--actor", metavar="NAME", help="Who gives the command; the login name if left out.")
@json_option
@ledger_options
@with_ledger
def remember(
    ledger: Ledger,
    text: str,
    voice: str,
    as_json: bool,  # noqa: FBT001
    as_claim: bool,  # noqa: FBT001
    no_extract: bool,  # noqa: FBT001
    keep_secrets: bool,  # noqa: FBT001
    narrative: str | None,
    **said: Any,
) -> int:
    """Record a message (- reads it from stdin) and derive claims from it."""
    if narrative is not None:
        told = sys.stdin.read() if text == "-" else text
        outcome = ledger.add_narrative(told, narrative, namespace=said["namespace"], keep_secrets=keep_secrets)
        return printing.judged(outcome, "kept apart", " ".join(told.split()), json=as_json)
    fields = {"text": sys.stdin.read() if text == "-" else text, "role": voice, "id": said.pop("message"), **said}
    message = {name: value for name, value in fields.items() if value}
    extractor = None if no_extract else "rules"
    done = ledger.remember(message, as_claim=as_claim, keep_secrets=keep_secrets, extractor=extractor)
    for secret in done.secrets:
        printing.note(f"line {secret['line']}: a secret was found ({secret['kind']}) and {_kept(keep=keep_secrets)}")
    if as_json:
        printing.as_json(done)
    else:
        _print_remembered(done)
    return EXTRACTION_FAILED if done.failed else FINDINGS if done.refused else 0


def _print_remembered(done: Remembered) -> None:
    for claim in done.claims:
        click.echo(f"{printing.claim_line(claim)}")
    for one in done.feedback:
        _print_feedback(one["claim"], one["verdict"], one["counted"], one["text"])
    for refusal in done.refused:
        printing.note(f"refused: {refusal['rule']}: {refusal['actual']} was found, {refusal['required']} is required")
    known = " (known already)" if done.known else ""
    nothing = "" if done.claims else ", no claim derived"
    items = ", ".join(item[:8] for item in done.evidence) or "nothing"
    waits = f", {done.pending} still to be read" if done.pending else ""
    held = f", {done.withheld} weaker replacement(s) withheld" if done.withheld else ""
    printing.note(f"recorded {items}{known}{nothing}{waits}{held}; position {done.position}")


def _kept(*, keep: bool) -> str:
    return "kept, as you said" if keep else "replaced by a marker"


@click.command(name="import")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--format", "form", default="", help="The file's format; detected if left out.")
@click.option("--source", default="", help="The source's name in natural keys; the format's if left out.")
@click.option("--user", default="", help="Which speaker is the user, where the format does not say.")
@click.option("--namespace", default="", help="A label inside the scope for all of it.")
@click.option("--time-zone", default=None, help="The zone of naive times and of scopes it opens; the machine's if left out.")
@click.option("--extractor", default="rules", show_default=True, help="Who reads it.")
@click.option("--no-extract", is_flag=True, help="Only record it.")
@click.option("--keep-secrets", is_flag=True, help="Keep passwords and keys in the text; the evidence says so.")
@click.option("--actor", metavar="NAME", help="Who gives the command; the login name if left out.")
@json_option
@ledger_options
@with_ledger
def import_(
    ledger: Ledger,
    path: Path,
    form: str,
    time_zone: str | None,
    extractor: str,
    no_extract: bool,  # noqa: FBT001
    keep_secrets: bool,  # noqa: FBT001
    as_json: bool,  # noqa: FBT001
    **names: str,
) -> int:
    """Import a file of messages, or another system's store of memories; what is known already adds nothing."""
    done = ledger.import_file(
        path,
        format=form,
        time_zone=time_zone or machine_zone(),
        keep_secrets=keep_secrets,
        extractor=None if no_extract else extractor,
        progress=_progress,
        **names,
    )
    _end_progress()
    for one in done:
        for secret in one.secrets:
            printing.note(f"{_where(path, secret)}: a secret was found ({secret['kind']}) and {_kept(keep=keep_secrets)}")
        for skipped in one.skipped:
            printing.note(f"{_where(path, skipped)}: {skipped['reason']}{'; skipped' if 'line' in skipped else ''}")
        for name, count in one.noise.items() if one.format in store_readers() else ():
            printing.note(f"{path}: not carried: {name} ({count})")
    if as_json:
        printing.as_json({"imported": done})
    else:
        for one in done:
            click.echo(_imported_line(one))
    if any(one.failed for one in done):
        return EXTRACTION_FAILED
    return FINDINGS if any(one.skipped for one in done) else 0


def _where(path: Path, found: dict[str, Any]) -> str:
    """Returns where something stands: the line of a file, or the place in a store."""
    if "line" in found:
        return f"{path}:{found['line']}"
    return f"{path / found['place']}" if path.is_dir() else f"{path}: {found['place']}"


def _imported_line(one: Imported) -> str:
    opened = " (scope opened)" if one.opened else ""
    counts = {name: count for name, count in asdict(one).items() if isinstance(count, int) and count and name in _COUNTED}
    counts["skipped"], counts["left out"] = len(one.skipped), sum(one.noise.values())
    told = ", ".join(f"{count} {name}" for name, count in counts.items() if count) or "nothing new"
    return f"{one.scope}{opened}: {told}; position {one.position}"


_COUNTED = (
    *("recorded", "revised", "known", "derived", "supported", "reaffirmed"),
    *("superseded", "quarantined", "refused", "failed", "pending"),
)


def _progress(what: str, count: int) -> None:
    if sys.stderr.isatty():
        if count % 50 == 0:
            click.echo(f"\r{what} {count}   ", err=True, nl=False)
    elif count % 5000 == 0:
        click.echo(f"{what} {count}", err=True)


def _end_progress() -> None:
    if sys.stderr.isatty():
        click.echo("\r" + " " * 60 + "\r", err=True, nl=False)


@click.command()
@click.argument("claim")
@click.argument("text")
@click.option("--value", default="", help="The new value, where it cannot be read off the change.")
@actor_options
@json_option
@ledger_options
@with_ledger
def correct(ledger: Ledger, claim: str, text: str, value: str, as_json: bool) -> int:  # noqa: FBT001
    """Say what a claim should say; what it said is not believed again."""
    before = ledger.show(claim).claim.text
    outcome = ledger.correct(claim, text, value=value)
    code = printing.judged(outcome, "corrected", text, json=as_json)
    if "value-rejected" in outcome.events:
        printing.note(f'"{before}" is rejected: nothing automatic brings it back')
    return code


@click.command()
@click.argument("claim")
@click.argument("verdict", type=click.Choice(VERDICTS))
@click.option("--id", "source", default="", help="Your own id of this feedback; a known one adds nothing.")
@click.option("--time", default=None, help="When it was given, ISO 8601; now if left out.")
@actor_options
@json_option
@ledger_options
@with_ledger
def feedback(ledger: Ledger, claim: str, verdict: str, source: str, time: str | None, as_json: bool) -> int:  # noqa: FBT001
    """Say that a claim is useful or unhelpful, accurate or incorrect; an incorrect one is held back."""
    done = ledger.feedback(claim, verdict, id=source, at=time)
    text = ledger.show(claim).claim.text
    if as_json:
        printing.as_json(done)
    elif done.refused:
        click.echo(f"refused  {done.refused}")
    else:
        _print_feedback(done.claim, done.verdict, done.counted, text)
        if "value-rejected" in done.events:
            printing.note(f'"{text}" is held back with what says the same: nothing automatic brings it back')
    return FINDINGS if done.refused else 0


def _print_feedback(claim: str, verdict: str, counted: str, text: str) -> None:
    click.echo(f"{verdict}  {claim[:8]}  {text}{_COUNTED_AS[counted]}")


_COUNTED_AS = {
    "set": "",
    "repeated": "  (as before)",
    "older": "  (older than what is known: it changes nothing)",
    "known": "  (taken already: it changes nothing)",
}


def _on_a_claim(function: Callable[..., int]) -> click.Command:
    """Makes a command of a function that takes a ledger, a claim and whether to print JSON."""
    options = actor_options(json_option(ledger_options(with_ledger(function))))
    return click.command()(click.argument("claim")(options))


@_on_a_claim
def reject(ledger: Ledger, claim: str, as_json: bool) -> int:  # noqa: FBT001
    """Say that a claim is wrong; its value is not believed again."""
    return printing.judged(ledger.reject(claim), "rejected", ledger.show(claim).claim.text, json=as_json)


@_on_a_claim
def pin(ledger: Ledger, claim: str, as_json: bool) -> int:  # noqa: FBT001
    """Keep a claim in sight, however old it gets; it becomes no more credible by that."""
    return printing.judged(ledger.pin(claim), "pinned", ledger.show(claim).claim.text, json=as_json)


@_on_a_claim
def unpin(ledger: Ledger, claim: str, as_json: bool) -> int:  # noqa: FBT001
    """Take a claim's pin off: it ages again."""
    return printing.judged(ledger.unpin(claim), "unpinned", ledger.show(claim).claim.text, json=as_json)
