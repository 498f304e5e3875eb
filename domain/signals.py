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
    latest day that is known, and what is at the cap counts nothing. Of a contradicted claim what it had before is raised.
    """
    table, before = policy.confidence, _but_for_contradiction(state)
    risen = max(before, min(max(before, first) + step, table.cap))
    if risen == before:
        return state
    begun = state.boosted_on is None or day > state.boosted_on
    if not begun and state.boosts >= table.boosts_a_day:
        return None
    counted = state.with_(boosted_on=day if begun else state.boosted_on, boosts=1 if begun else state.boosts + 1)
    return _weighed(counted, risen, policy, contradicted=state.uncontradicted is not None)


def contradicted(state: "ClaimState", at: int, policy: "Policy") -> "ClaimState":
    """Returns the state after a statement to the contrary, said at `at`: confidence falls by a step to a floor, once.

    What was stated again later, or at that very moment, stands. Only facts have a confidence (design.md §5).
    """
    if state.form != "fact":
        return state
    state = state.with_(contradicted_at=latest(state.contradicted_at, at))
    return state if _stands(state) else _weighed(state, _but_for_contradiction(state), policy, contradicted=True)


def confirmed(state: "ClaimState", at: int | None, policy: "Policy") -> "ClaimState":
    """Returns the state after the same was said again at `at`: it is confirmed, unless it was contradicted after that."""
    state = state.with_(confirmed_at=latest(state.confirmed_at, at))
    if not _stands(state):
        return state
    return _weighed(state, _but_for_contradiction(state), policy, contradicted=False).with_(confirmation="confirmed")


def _stands(state: "ClaimState") -> bool:
    return state.contradicted_at is None or (state.confirmed_at or 0) >= state.contradicted_at


def _but_for_contradiction(state: "ClaimState") -> int:
    return state.confidence if state.uncontradicted is None else state.uncontradicted


def _weighed(state: "ClaimState", confidence: int, policy: "Policy", *, contradicted: bool) -> "ClaimState":
    """Returns the state with this confidence, or with what a contradiction leaves of it."""
    if not contradicted:
        return state.with_(confidence=confidence, uncontradicted=None)
    table = policy.confidence
    fallen = min(confidence, max(confidence - table.contradicted, table.least))
    return state.with_(confidence=fallen, uncontradicted=confidence, confirmation="contradicted")


def latest(clock: int | None, at: int | None) -> int | None:
    """Returns the later of two moments; a clock never moves back, and a missing time moves nothing."""
    if clock is None or at is None:
        return at if clock is None else clock
    return max(clock, at)
