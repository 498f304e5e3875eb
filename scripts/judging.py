"""Judging for the Python API: a verdict that is given by hand or held by a user's message, and resolutions."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast, get_args

from affidavit.domain.errors import UnknownId, UsageError
from affidavit.domain.roles import JUDGES, Actor
from affidavit.projections import answers
from affidavit.projections.snapshot import shown
from affidavit.scripts.outcomes import Judged, Outcome, outcome

if TYPE_CHECKING:
    from affidavit.domain.feedback import FeedbackGiven, Verdict
    from affidavit.journal.log import Receipt
    from affidavit.journal.verbs import Recorded
    from affidavit.scripts.ledger import Ledger

VERDICTS = ("useful", "unhelpful", "accurate", "incorrect")


def feedback(ledger: "Ledger", prefix: str, verdict: str, source: str, given_at: int | None) -> Judged:
    """Takes a verdict by hand. `source` is the caller's own id of it, empty for a new one; None dates it now."""
    from affidavit.journal import verbs  # noqa: PLC0415 - reads load no pydantic

    if verdict not in VERDICTS:
        msg = f"verdict is {verdict!r}, one of {', '.join(VERDICTS)} is required"
        raise UsageError(msg)
    with ledger.snapshot() as at:
        claim = answers.find(at, prefix).key
    log, scope = ledger.log, ledger.scope
    receipt = verbs.feedback(
        log,
        scope,
        claim,
        cast("Verdict", verdict),
        ledger.actor,
        source=log.vault.keyed(scope, "feedback", source) if source else log.new_id(),
        given_at=log.clock() if given_at is None else given_at,
    )
    return Judged(
        claim=shown(claim),
        verdict=verdict,
        counted=_counted(receipt),
        position=receipt.position + receipt.count - 1 if receipt.count else 0,
        refused=str(receipt.refused) if receipt.refused else "",
        rule=receipt.refused.rule if receipt.refused else "",
        events=tuple(event.type_name.partition(".")[0] for event in receipt.events),
    )


def resolve(ledger: "Ledger", claim: bytes, disposition: str, text: str, *, keep_secrets: bool) -> Outcome:
    """Decides a matter of the inbox; secrets in the text are replaced by markers unless they are kept on purpose."""
    from affidavit.domain.resolutions import Disposition  # noqa: PLC0415
    from affidavit.domain.secrets import redact  # noqa: PLC0415
    from affidavit.journal import verbs  # noqa: PLC0415

    if disposition not in get_args(Disposition):
        msg = f"disposition is {disposition!r}, one of {', '.join(get_args(Disposition))} is required"
        raise UsageError(msg)
    chosen: Any = disposition
    text = text if keep_secrets else redact(text).text
    return outcome(verbs.resolve(ledger.log, ledger.scope, claim, chosen, ledger.actor, text), claim)


def hear(ledger: "Ledger", recorded: "Sequence[Recorded]") -> tuple[list[dict[str, str]], list[dict[str, str]]]:
    """Takes the verdicts that recorded messages of the user are; returns what was heard, and what was refused.

    A message that came before is asked again, as it may have been recorded and not heard; its receipt answers.
    """
    from affidavit.domain.feedback import feedback_in  # noqa: PLC0415
    from affidavit.journal import verbs  # noqa: PLC0415

    heard: list[dict[str, str]] = []
    refused: list[dict[str, str]] = []
    for one in recorded:
        message = one.message
        found = feedback_in(message.text) if _is_testimony(one) else None
        if found is None:
            continue
        prefix, verdict = found
        try:
            with ledger.snapshot() as at:
                row = answers.find(at, prefix)
        except UnknownId:
            actual = f"no claim {prefix}"
            refused.append({"rule": "feedback", "text": message.text, "actual": actual, "required": "a claim of this scope"})
            continue
        # The host vouches for whose words these are; whoever may vouch for nothing speaks for itself alone.
        vouched = ledger.actor.role in JUDGES | {"host"}
        actor = Actor("user", message.speaker or "user") if vouched else ledger.actor
        receipt = verbs.feedback(
            ledger.log, ledger.scope, row.key, verdict, actor, source=one.item, given_at=message.at, item=one.item
        )
        if receipt.refused:
            no = receipt.refused
            refused.append({"rule": "feedback", "text": message.text, "actual": no.actual, "required": no.required})
            continue
        said = {"claim": shown(row.key), "text": row.natural["text"], "verdict": verdict, "counted": _counted(receipt)}
        heard.append(said)
    return heard, refused


def _is_testimony(one: "Recorded") -> bool:
    """Tells whether a recorded message is the user's own words, all of it."""
    message = one.message
    own = message.role == "user" and not (message.summary or message.asserted or message.adopted)
    return own and one.receipt.refused is None


def _counted(receipt: "Receipt") -> str:
    if receipt.repeated:
        return "known"
    return "" if receipt.refused else cast("FeedbackGiven", receipt.events[0]).counted
