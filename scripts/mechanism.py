"""The evidence mechanism's verbs for the Python API: surfacing, replies, injections, mentions, mode, archive, loops."""

import json
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from affidavit.domain.errors import BadInput, ExtractionError, UsageError
from affidavit.domain.picking import pick
from affidavit.domain.proposals import Extractor, Span
from affidavit.domain.roles import Actor
from affidavit.domain.times import parse_time
from affidavit.projections import answers, asking
from affidavit.projections.prompt import Rendered
from affidavit.projections.snapshot import SHOWN, shown
from affidavit.scripts.outcomes import Outcome, Replied, Surfaced, outcome

if TYPE_CHECKING:
    from affidavit.domain.questions import Asked
    from affidavit.domain.questions import Verdict as Said
    from affidavit.scripts.ledger import Ledger

VERDICTS = ("confirms", "denies", "ignores", "unclear")


def surface(ledger: "Ledger", now: int, most: int | None, seed: bytes | None) -> list[Surfaced]:
    """Picks whom to ask about, marks them as surfaced, and returns them."""
    from affidavit.journal import steps  # noqa: PLC0415 - reads load no pydantic

    if most is not None and most < 1:
        msg = f"at most {most} claims were asked for, one or more are required"
        raise UsageError(msg)
    with ledger.snapshot(None, now) as at:
        wanted = at.policy.surfacing.most if most is None else most
        chosen = pick(asking.surfaceable(at), seed or os.urandom(32), wanted)
    receipt = steps.surface(ledger.log, ledger.scope, [one.claim for one in chosen], ledger.actor, now)
    marked = {event.stream for event in receipt.events}
    return [
        Surfaced(shown(one.claim), one.text, "reflection" if one.reflection else "fact", round(one.score, 6))
        for one in chosen
        if one.claim in marked
    ]


def reply(ledger: "Ledger", text: str, *, claim: str, verdict: str, quote: str, now: int, extractor: "Extractor") -> Replied:
    """Records a user's reply, reads it like any message, and takes what it says of the surfaced claims."""
    from affidavit.domain.questions import Asked  # noqa: PLC0415 - reads load no pydantic
    from affidavit.domain.questions import Verdict as Said  # noqa: PLC0415
    from affidavit.journal import steps  # noqa: PLC0415

    if verdict and verdict not in VERDICTS:
        msg = f"verdict is {verdict!r}, one of {', '.join(VERDICTS)} is required"
        raise UsageError(msg)
    span = _span(text, quote)
    refused = steps.report(ledger.log, ledger.scope, ledger.actor).refused
    if refused is not None:
        told = {"claim": "", "text": "", "verdict": verdict, "refused": str(refused)}
        return Replied(evidence="", verdicts=[told], position=ledger.position)
    with ledger.snapshot(None, now) as at:
        rows = [answers.find(at, claim)] if claim else asking.surfaced(at)
    if not rows:
        raise UsageError("no claim was surfaced, so nothing is replied to", remedy="ask with `affidavit surface` first")
    if verdict and len(rows) > 1:
        msg = f"a verdict was given, and {len(rows)} claims were surfaced"
        raise UsageError(msg, remedy="say with --claim which one it is about")
    item, text = ledger.hear(text, extractor, now)
    by = "" if verdict else str(extractor.identity)
    asked = [Asked(row.key.hex()[:SHOWN], row.natural["text"], row.natural["entity"], row.natural["form"]) for row in rows]
    given = [msgspec.convert({"claim": asked[0].id, "verdict": verdict, "quote": quote}, Said)] if verdict else None
    found = _judged(ledger, extractor, text, asked, item, now) if given is None else given
    keys = {row.key.hex()[:SHOWN]: row for row in rows}
    wanted = [(keys[one.claim].key, one.verdict, span if verdict else _span(text, one.quote)) for one in found]
    # Whoever reads a verdict out of a reply judges nothing: the words do, and they are checked.
    actor = ledger.actor if verdict else Actor("extractor", by)
    receipts = steps.reply(ledger.log, ledger.scope, item, wanted, actor, now, by=by)
    return Replied(
        evidence=shown(item),
        verdicts=[
            {
                "claim": one.claim,
                "text": keys[one.claim].natural["text"],
                "verdict": one.verdict,
                "refused": str(receipt.refused) if receipt.refused else "",
            }
            for one, receipt in zip(found, receipts, strict=True)
        ],
        position=ledger.position,
    )


def _judged(
    ledger: "Ledger", extractor: "Extractor", text: str, asked: "list[Asked]", item: bytes, now: int
) -> "Sequence[Said]":
    """Asks what a reply says; empty where nobody can tell, which is noted, and the user is asked again."""
    from affidavit.domain.questions import Questions  # noqa: PLC0415
    from affidavit.domain.questions import Verdict as Said  # noqa: PLC0415
    from affidavit.journal import steps  # noqa: PLC0415

    def note(outcome: Any, error: str | None = None) -> None:
        name = str(extractor.identity)
        request = ledger.log.vault.keyed(ledger.scope, "request", "judge reply", name, item.hex())
        about: dict[str, Any] = {"extractor": name, "items": (item,), "error": error}
        steps.note_answer(ledger.log, ledger.scope, "judge reply", request, outcome, now, **about)

    able = isinstance(extractor, Questions) and "judge reply" in extractor.answers
    try:
        answer = extractor.judge_reply(text, asked) if isinstance(extractor, Questions) and able else None
        checked = None if answer is None else msgspec.convert(msgspec.to_builtins(answer), tuple[Said, ...])
    except Exception as error:
        # A model is anyone's code; the reply is recorded, and its own words are not repeated.
        note("failed", str(error) if isinstance(error, ExtractionError) else type(error).__name__)
        raise ExtractionError("the reply was recorded, and what it says could not be judged") from error
    if checked is None:
        note("no answer")
        return ()
    ids = [one.id for one in asked]
    judged = [one.claim for one in checked]
    fits = set(judged) <= set(ids) and len(judged) == len(set(judged))
    if not fits or any(one.quote not in text for one in checked):
        note("failed", "two verdicts on one claim, one on a claim that was not asked about, or words that are not there")
        raise ExtractionError("the reply was recorded, and its judgement does not fit what was asked and said")
    return checked


def _span(text: str, quote: str) -> "Span | None":
    """Returns where the words that say so stand in the reply, None where none are given. Raises UsageError if they don't."""
    if not quote:
        return None
    start = text.find(quote)
    if start < 0:
        raise UsageError("the quote is not in the reply", remedy="give the words as they stand there")
    return Span(start, start + len(quote))


def injected(ledger: "Ledger", manifest: "Rendered | Mapping[str, Any] | str") -> Outcome:
    """Notes that a prompt went to a model, by what `prompt` returned or by its manifest."""
    from affidavit.journal import steps  # noqa: PLC0415

    told = _manifest(manifest)
    with ledger.snapshot() as at:
        claims = [answers.find(at, one.id).key for section in told.sections for one in section.claims]
    receipt = steps.inject(
        ledger.log,
        ledger.scope,
        claims,
        ledger.actor,
        shown_at=parse_time(told.now, "UTC")[0],
        tokens=told.tokens,
        policy=bytes.fromhex(told.policy),
    )
    return outcome(receipt)


class _Shown(msgspec.Struct, frozen=True):
    id: str


class _Section(msgspec.Struct, frozen=True):
    claims: tuple[_Shown, ...]


class _Manifest(msgspec.Struct, frozen=True):
    """What is needed of a manifest: which claims were shown, when they were judged, and under which policy."""

    sections: tuple[_Section, ...]
    now: str
    tokens: Annotated[int, msgspec.Meta(ge=0, le=1 << 53)]
    policy: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{32}$")]


def _manifest(given: "Rendered | Mapping[str, Any] | str") -> _Manifest:
    """Reads a manifest, or what `prompt --json` printed around one. Raises BadInput."""
    try:
        plain: Any = given.manifest if isinstance(given, Rendered) else given
        plain = json.loads(plain) if isinstance(plain, str) else plain
        inner = plain["manifest"] if isinstance(plain, Mapping) and "manifest" in plain else plain
        told = msgspec.convert(inner, _Manifest)
        parse_time(told.now, "UTC")
    except (ValueError, RecursionError, msgspec.ValidationError) as error:
        msg = f"this is no manifest of a prompt ({error})"
        raise BadInput(msg, remedy="give what `affidavit prompt --manifest` printed") from error
    return told
