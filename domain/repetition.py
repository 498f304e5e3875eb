"""Repetition: what the agent brings up too often is left out of its prompt for a while (seed 000).

A persona claim or confirmed reflection that the agent's own words mention more than twice within five hours is suppressed
for as long. Suppression measures the agent, not the user: it moves no counter and no clock. Pending reflections are never
suppressed, so that the user can still be asked about them, and what stands on the character card never is.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from affidavit.domain.claims import ClaimEvent, ClaimState
from affidavit.domain.commands import OfScope
from affidavit.domain.decisions import Decision
from affidavit.domain.events import Id, event_type
from affidavit.domain.index import Index
from affidavit.domain.mentions import is_mentioned, is_suppressed, mentioned, suppresses
from affidavit.domain.times import SECOND


@event_type("claim-mentioned.v1", public="claim state item")
class ClaimMentioned(ClaimEvent):
    """The agent's own words, in this message, mentioned the claim; `state.suppressed_at` is set once it is too often."""

    item: Id


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention(OfScope):
    """See which of these claims a message of the agent mentions. `names` are those of the two who speak."""

    item: bytes
    claims: tuple[bytes, ...]
    names: tuple[str, ...] = ()

    @property
    def natural_key(self) -> tuple[str, ...]:
        """Returns the message: it mentions once."""
        return ("mention", self.item.hex())


def mentionable(state: ClaimState) -> bool:
    """Tells whether mentions of a claim count: a live persona claim or confirmed reflection, off the character card."""
    repeated = state.form == "persona" or (state.form == "reflection" and state.status == "confirmed")
    return state.live and repeated and not state.protected


def mention(command: Mention, index: Index) -> Decision:
    """Counts the mentions of a message. Quiet for one that is not the agent's, or mentions nothing (row N41)."""
    evidence = index.evidence(command.item)
    if evidence is None or evidence.role != "assistant":
        return ()
    reply, at = index.text(command.item, evidence.revision).text, evidence.occurred_at
    return tuple(
        ClaimMentioned(
            id=command.new_id(),
            occurred_at=command.at,
            claim=claim,
            state=_counted(state, at, index),
            item=command.item,
        )
        for claim, state in _known(command.claims, index)
        if mentionable(state) and is_mentioned(index.content(state).text, reply, command.names)
    )


def _known(claims: Iterable[bytes], index: Index) -> list[tuple[bytes, ClaimState]]:
    found = ((claim, index.claim(claim)) for claim in dict.fromkeys(claims))
    return [(claim, state) for claim, state in found if state is not None]


def _counted(state: ClaimState, at: int, index: Index) -> ClaimState:
    rules = index.policy.repetition
    window = rules.window_hours * 3600 * SECOND
    recent = mentioned(state.mentions, at, window=window)
    begins = suppresses(recent, rules.most) and not is_suppressed(state.suppressed_at, at, window=window)
    return state.with_(mentions=recent, suppressed_at=at if begins else state.suppressed_at)
