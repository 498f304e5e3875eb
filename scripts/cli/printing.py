"""How answers look: plain text for people, JSON for programs. Colour only where stdout is a terminal that wants it."""

import os
import sys
from dataclasses import asdict, is_dataclass
from typing import Any

import click
import msgspec

from affidavit.projections.answers import Claim, Shown, Source, Step, Why
from affidavit.scripts.cli.options import FINDINGS
from affidavit.scripts.outcomes import Outcome

ID_DIGITS = 8


def as_json(value: Any) -> None:
    """Prints one JSON value, indented, non-ASCII text as it is."""
    data = msgspec.json.encode(_plain(value))
    click.echo(msgspec.json.format(data, indent=2).decode())


def note(text: str) -> None:
    """Says something to the person, on stderr."""
    click.echo(text, err=True)


def style(text: str, **options: Any) -> str:
    """Returns styled text where stdout is a terminal, plain text elsewhere."""
    if not sys.stdout.isatty() or os.environ.get("NO_COLOR"):
        return text
    return click.style(text, **options)


def claim_line(claim: Claim) -> str:
    """Returns a claim on one line: short id, status, kind, text."""
    mark = "*" if claim.corrected else " "
    state = claim.status if not claim.live or claim.status != "active" else claim.kind
    namespace = f"  [{claim.namespace}]" if claim.namespace else ""
    return f"{style(claim.id[:ID_DIGITS], fg='cyan')} {mark} {state:<13} {claim.text}{namespace}"


def show_claim(shown: Shown) -> None:
    """Prints one claim with its state and formulas."""
    claim = shown.claim
    click.echo(f"{style(claim.id, fg='cyan')}  {style(claim.text, bold=True)}")
    rows = {
        "status": f"{claim.status}{'' if claim.live else ' (not live)'}",
        "what": f"{claim.form}, {claim.kind}, about {claim.entity}, {claim.polarity}",
        "says": f"{claim.attribute} = {claim.value}" if claim.attribute else "",
        "basis": f"{shown.state['basis']} by {shown.state['method']}, of {shown.state['evidence_at']}",
        "confidence": f"{claim.confidence:.2f} ({shown.state['confirmation']})",
        "support": f"{len(claim.evidence)} evidence, {shown.state['sessions']} session(s), "
        f"{shown.state['signals']} signal(s)",
        "corrected": "by a person" if claim.corrected else "",
        "found": _feedback(shown.state),
        "pinned": "by a person" if shown.state["pinned"] else "",
        "superseded": f"by {shown.superseded_by}" if shown.superseded_by else "",
        "waits": f"for a person: {shown.state['review']}" if shown.state["review"] else "",
        "held": f"by the rejection of {shown.bound_to}" if shown.bound_to else "",
        "dormant": "yes: nothing confirmed it for its kind's time" if shown.dormant else "",
    }
    for name, text in rows.items():
        if text:
            click.echo(f"  {name:<11} {text}")
    for formula in shown.formula:
        click.echo(f"  {formula}")
    click.echo(f"  tier {shown.tier}, read from the score; it tells of signals, not of truth")
    for step in shown.steps:
        click.echo(f"  {step['step']}: {step['measure']} {step['actual']:g}, {step['required']:g} required")
    for decision in shown.decisions:
        measured = f"{decision['actual']:g}, {decision['required']:g} required"
        rule = f" ({decision['rule']})" if "rule" in decision else ""
        click.echo(f"  {minute(decision['at'])}  {decision['what']}{rule}: {measured}")


def _feedback(state: dict[str, Any]) -> str:
    slots = [slot for slot in (state.get("utility"), state.get("accuracy")) if slot]
    return ", ".join(f"{slot['verdict']} by a person, {minute(slot['at'])}" for slot in slots)


def show_why(why: Why) -> None:
    """Prints a claim with each source sentence, the span marked."""
    claim = why.claim
    click.echo(f"{style(claim.id[:ID_DIGITS], fg='cyan')}  {style(claim.text, bold=True)}  ({claim.status})")
    for decision in why.corrections:
        before = f', it said: "{decision["before"]}"' if "before" in decision else ""
        click.echo(f"\n  {decision['what']} by {decision['by']} ({decision['role']}), {minute(decision['at'])}{before}")
    if why.superseded_by:
        click.echo(f"\n  superseded by {why.superseded_by['id'][:ID_DIGITS]}  {why.superseded_by['text']}")
    for parent in why.parents:
        click.echo(f"\n  made of {parent['id'][:ID_DIGITS]}  {parent['text']}  ({parent['form']}, {parent['status']})")
    for clause in why.clauses:
        click.echo(f'\n  "{clause["text"]}" comes from {clause["claim"][:ID_DIGITS]}')
    for source in why.sources:
        who = f"{source.speaker} ({source.role})" if source.speaker else source.role
        place = " · ".join(part for part in (source.source, source.session, source.message) if part)
        by = source.extractor.partition("/")[0] or "a person"
        click.echo(f"\n  {who}, {minute(source.occurred_at)}, {place}, revision {source.revision}")
        click.echo(f"    {marked(source)}")
        click.echo(f"    span {source.start} to {source.end}, cited by {by}, evidence {source.evidence[:ID_DIGITS]}")


def minute(time: str) -> str:
    """Returns an ISO 8601 time of UTC to the minute, as people read it."""
    return f"{time[:16].replace('T', ' ')} UTC"


def harmless(text: str) -> str:
    """Returns a text without characters that would speak to the terminal instead of the person."""
    return "".join(
        character if character.isprintable() or character in "\n\t" else "\N{REPLACEMENT CHARACTER}" for character in text
    )


def marked(source: Source) -> str:
    """Returns the source sentence on one line with the span marked by guillemets, or in reverse on a terminal."""
    plain = harmless(source.quote)
    quote = f"»{plain}«" if style("x", reverse=True) == "x" else style(plain, reverse=True)
    before, after = harmless(source.before.lstrip()), harmless(source.after.rstrip())
    return " ".join(f"{before}{quote}{after}".split())


def show_history(steps: list[Step]) -> None:
    """Prints a claim's events, one a line, with what each changed."""
    for step in steps:
        who = f"{step.actor or step.role} ({step.role})"
        click.echo(f"{step.position:>6}  {step.occurred_at[:19]:<19}  {step.type:<20} {who}")
        for name, value in step.changed.items():
            click.echo(f"        {name} = {value}")


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return {name: _plain(part) for name, part in asdict(value).items()}
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return value


def judged(outcome: Outcome, verb: str, text: str, *, json: bool) -> int:
    """Prints what became of a person's judgement of a claim; returns the exit code."""
    if json:
        as_json(outcome)
    elif outcome.refused:
        click.echo(f"refused  {outcome.refused}")
    elif outcome.position == 0:
        click.echo(f"nothing to do: it is {verb} already")
    else:
        click.echo(f"{verb}  {outcome.claim[:8]}  {text}  position {outcome.position}")
    return FINDINGS if outcome.refused else 0
