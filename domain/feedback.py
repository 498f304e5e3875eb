"""Feedback: a person's explicit verdict on a claim, in two slots (seed 002, "Explicit feedback").

Utility is useful or unhelpful, accuracy is accurate or incorrect; neither slot says anything of the other. A slot holds the
verdict that was given last, whenever it arrives; a verdict older than the claim's own evidence was about something else.
Nothing is summed: a hundred times useful is useful. No verdict moves a counter, a clock or the evidence date. `incorrect`
holds the claim back with all that says the same in its namespace, and feeds the gate; no verdict brings anything back.
"""

import re
from dataclasses import dataclass, replace
from typing import Literal, get_args

from affidavit.domain.claims import ClaimEvent, ClaimQuarantined, ClaimState, Slot, Utility, claim_id
from affidavit.domain.corrections import Judgement
from affidavit.domain.decisions import Decision, Refused
from affidavit.domain.draft import Draft
from affidavit.domain.events import Id, event_type
from affidavit.domain.index import Index
from affidavit.domain.proposals import Form
from affidavit.domain.rejections import reject_value
from affidavit.domain.roles import JUDGES
from affidavit.domain.scopes import refused_role

Verdict = Literal["useful", "unhelpful", "accurate", "incorrect"]
Counted = Literal["set", "repeated", "older"]
"""What a verdict did: it is the slot's now; it was already, and only its time moved; or it came too late to matter."""


@event_type("feedback-given.v1", public="claim state verdict counted item")
class FeedbackGiven(ClaimEvent):
    """A person gave a verdict on the claim, when the event occurred; `item` is the message that held it, if one did."""

    verdict: Verdict
    counted: Counted
    item: Id | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GiveFeedback(Judgement):
    """Take this verdict on a claim.

    `source` is an id of what carried it: one source gives one verdict on a claim, whatever becomes of either. `given_at` is
    when it was given, in microseconds; a moment that has not come yet counts as now. `item` is the message, if one held it.
    """

    verdict: Verdict
    source: bytes
    given_at: int
    item: bytes | None = None

    @property
    def natural_key(self) -> tuple[str, ...]:
        """Returns source and claim. An attempt by someone who may not judge uses nothing up, and is told each time."""
        if self.actor.role not in JUDGES:
            return ("refused feedback", self.new_id().hex())
        return ("feedback", self.source.hex(), self.claim.hex())


def give_feedback(command: GiveFeedback, state: ClaimState, index: Index) -> Decision:
    """Takes a verdict, with what follows from it, in one decision; each one that is heard is an event.

    Refused to all but users and operators, for a claim that is not live, and for a narrative, which is nobody's assertion.
    """
    refused = _may_not(command, state)
    if refused:
        return refused
    command = replace(command, given_at=min(command.given_at, command.at))
    counted = _counted(command, state)
    draft = Draft(index)
    # What follows dates from when the verdict was given: what the user said after that is newer than it.
    command = replace(command, at=command.given_at)
    given = FeedbackGiven(
        id=command.new_id(),
        occurred_at=command.at,
        evidence=(command.item,) if command.item else (),
        claim=command.claim,
        state=state if counted == "older" else _judged(command, state),
        verdict=command.verdict,
        counted=counted,
        item=command.item,
    )
    draft.add(given)
    if command.verdict == "incorrect" and counted == "set":
        _hold(draft, command, given)
    return tuple(draft.events)


def _may_not(command: GiveFeedback, state: ClaimState) -> Refused | None:
    if command.actor.role not in JUDGES:
        return refused_role(command, command.scope, "user or operator", bound_to=command.claim)
    if state.form == "narrative":
        return Refused("form", actual="a narrative", required="a fact, reflection or persona claim")
    if not state.live:
        return Refused(
            "not live",
            actual=f"status {state.status}",
            required="a live claim",
            remedy="a verdict brings nothing back; correct it or resolve it",
        )
    return None


def _counted(command: GiveFeedback, state: ClaimState) -> Counted:
    """Tells what a verdict does, by when it was given. One of the same moment as another is taken as it comes."""
    last = state.utility if command.verdict in get_args(Utility) else state.accuracy
    # Evidence that is dated in the future is as old as now, like every time that has not come.
    evidence_at = command.given_at if state.evidence_at is None else min(state.evidence_at, command.at)
    if command.given_at < evidence_at or (last is not None and command.given_at < last.at):
        return "older"
    # A claim that was found incorrect, and was taken back, is found incorrect anew.
    repeated = last is not None and last.verdict == command.verdict != "incorrect"
    return "repeated" if repeated else "set"


def _judged(command: GiveFeedback, state: ClaimState) -> ClaimState:
    slot = Slot(verdict=command.verdict, at=command.given_at)
    if command.verdict in get_args(Utility):
        return state.with_(utility=slot)
    if command.verdict == "accurate":
        return state.with_(accuracy=slot, confirmation="confirmed")
    return state.with_(accuracy=slot, confirmation="contradicted", vouched=False)


def _hold(draft: Draft, command: GiveFeedback, given: FeedbackGiven) -> None:
    """Holds an incorrect claim for a person, rejects what it says, and holds what says the same in its namespace."""
    held = given.state.with_(status="quarantined", since=command.at, review="")
    reject_value(draft, command, command.claim, held, cause=given.id, same="quarantined")
    content = draft.index.content(held)
    for form in get_args(Form):
        # The same sentence of another form is another claim, and where no value is known, nothing else tells.
        other = claim_id(draft.index, command.namespace, form, content.entity, content.text)
        known = draft.claim(other)
        if other == command.claim or known is None or not known.live or known.form == "narrative":
            continue
        if known.sentence == held.sentence:
            same = known.with_(status="quarantined", bound_to=command.claim, since=command.at, review="")
            draft.add(_quarantined(command, other, same, "same sentence", given.id))
    draft.add(_quarantined(command, command.claim, held, "incorrect", given.id))


def _quarantined(command: GiveFeedback, claim: bytes, state: ClaimState, rule: str, cause: bytes) -> ClaimQuarantined:
    return ClaimQuarantined(id=command.new_id(), occurred_at=command.at, cause=cause, claim=claim, state=state, rule=rule)


def feedback_in(text: str) -> tuple[str, Verdict] | None:
    """Returns the id, 24 hex digits, and the verdict that a whole message gives, or None.

    `memory ID is incorrect.` and `记忆 ID 有用。`: nothing before it, nothing after it, no question, no second statement.
    """
    found = _GRAMMAR.fullmatch(text.strip())
    return (found[1].lower(), _WORDS[found[2].lower()]) if found else None


_WORDS: dict[str, Verdict] = {
    **{verdict: verdict for verdict in get_args(Verdict)},
    "有用": "useful",
    "没用": "unhelpful",
    "正确": "accurate",
    "错误": "incorrect",
}
_SPACE = "[ \t\N{IDEOGRAPHIC SPACE}]+"
_GRAMMAR = re.compile(
    rf"(?:memory|记忆){_SPACE}([0-9a-f]{{24}}){_SPACE}(?:(?:is|was){_SPACE})?({'|'.join(_WORDS)})[.!。！]?",
    re.IGNORECASE | re.ASCII,  # ASCII: letters of other scripts that fold to ours are not ours.
)
