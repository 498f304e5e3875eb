"""Signals: weighted observations for or against a claim, each with the evidence that carries it (seed 000).

Counters are integers of a millionth, with two clocks that never move back. A signal changes one side and its clock; the
score is computed at read time. The agent's own words carry no signal at all.
"""

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from affidavit.domain.claims import ClaimState
    from affidavit.domain.index import Tally
    from affidavit.domain.policy import Policy

Source = Literal["user_fact"]
"""Where a signal came from. The other sources of seed 000 come with the evidence mechanism."""
Effect = Literal["reinforces", "negates"]


def reinforced(state: "ClaimState", at: int, tally: "Tally", policy: "Policy") -> tuple["ClaimState", int]:
    """Returns the state after a user's fact reinforced the claim, and the weight given in millionths.

    After more than two such facts in its lifetime, each brings the combo bonus too (row N7).
    """
    count = state.user_fact_reinforce_count + 1
    weight = policy.signals.user_fact_reinforces
    if count > policy.signals.combo_after:
        weight += policy.signals.combo_bonus
    after = state.with_(
        reinforcement=state.reinforcement + weight,
        rein_last_signal_at=latest(state.rein_last_signal_at, at),
        user_fact_reinforce_count=count,
        signals=state.signals + 1,
        sources=len(tally.sources),
        sessions=len(tally.sessions),
    )
    return after, weight


def latest(clock: int | None, at: int | None) -> int | None:
    """Returns the later of two moments; a clock never moves back, and a missing time moves nothing."""
    if clock is None or at is None:
        return at if clock is None else clock
    return max(clock, at)
