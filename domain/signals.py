"""Signals: weighted observations for or against a claim, each with the evidence that carries it (seed 000).

Counters are integers of a millionth, with two clocks that never move back. A signal changes one side and its clock; the
score is computed at read time. The agent's own words carry no signal at all.
"""

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from affidavit.domain.claims import ClaimState
    from affidavit.domain.index import Tally
    from affidavit.domain.policy import Policy

Source = Literal[
    "user_fact",
    "user_confirm",
    "user_rebut",
    "user_ignore",
    "user_keyword_rebut",
    "migration_seed",
    "promote_merge",
]
"""Where a signal came from: seed 000's sources, with counters that came from another system and those of a merge."""
Effect = Literal["reinforces", "negates", "ignores", "seeds"]


def moved(state: "ClaimState", at: int, policy: "Policy", *, up: int = 0, down: int = 0, source: Source) -> "ClaimState":
    """Returns the state after a signal of `up` millionths of reinforcement and `down` of disputation.

    A side's clock moves where that side's delta is not zero, even where disputation is clamped at zero (row N9). A user's
    fact that reinforces counts towards the combo bonus; nothing else does, and nothing resets the count (rows N7, N8).
    """
    count = state.user_fact_reinforce_count
    if source == "user_fact" and up > 0:
        count += 1
        if count > policy.signals.combo_after:
            up += policy.signals.combo_bonus
    return state.with_(
        reinforcement=state.reinforcement + up,
        disputation=max(0, state.disputation + down),
        rein_last_signal_at=latest(state.rein_last_signal_at, at) if up else state.rein_last_signal_at,
        disp_last_signal_at=latest(state.disp_last_signal_at, at) if down else state.disp_last_signal_at,
        user_fact_reinforce_count=count,
        signals=state.signals + 1,
        # What waited for a person is looked at again; the days below zero that brought it there are not undone by it.
        review=state.review if state.review == "archive" else "",
    )


def reinforced(state: "ClaimState", at: int, tally: "Tally", policy: "Policy") -> tuple["ClaimState", int]:
    """Returns the state after a user's fact reinforced the claim, and the weight given in millionths.

    After more than two such facts in its lifetime, each brings the combo bonus too (row N7).
    """
    after = moved(state, at, policy, up=policy.signals.user_fact_reinforces, source="user_fact")
    weight = after.reinforcement - state.reinforcement
    # A reply counts its session without being cited, so what is cited may be fewer.
    sources, sessions = max(state.sources, len(tally.sources)), max(state.sessions, len(tally.sessions))
    return after.with_(sources=sources, sessions=sessions), weight


def boosted(state: "ClaimState", step: int, day: str, policy: "Policy", *, first: int = 0) -> "ClaimState | None":
    """Returns the state with its confidence, or `first` if that is more, raised by a step to the cap, which lowers nothing.

    None where it was raised as often as it may be on this local day. What arrives late from an earlier day counts on the
    latest day that is known, and what is at the cap counts nothing.
    """
    table = policy.confidence
    risen = max(state.confidence, min(max(state.confidence, first) + step, table.cap))
    if risen == state.confidence:
        return state
    begun = state.boosted_on is None or day > state.boosted_on
    if not begun and state.boosts >= table.boosts_a_day:
        return None
    return state.with_(
        confidence=risen, boosted_on=day if begun else state.boosted_on, boosts=1 if begun else state.boosts + 1
    )


def contradicted(state: "ClaimState", at: int, policy: "Policy") -> "ClaimState":
    """Returns the state after a statement to the contrary, said at `at`: confidence falls by a step to a floor.

    What was restated after that moment stands as confirmed. Only facts have a confidence (design.md §5).
    """
    if state.form != "fact" or (state.confirmation == "confirmed" and (state.confirmed_at or 0) > at):
        return state
    table = policy.confidence
    fallen = min(state.confidence, max(state.confidence - table.contradicted, table.least))
    return state.with_(confidence=fallen, confirmation="contradicted")


def latest(clock: int | None, at: int | None) -> int | None:
    """Returns the later of two moments; a clock never moves back, and a missing time moves nothing."""
    if clock is None or at is None:
        return at if clock is None else clock
    return max(clock, at)
