"""Where a claim stands: its score with the numbers in the formula, its tier, and what its next steps require.

Everything here is read at a moment and written nowhere. The score is what the user's signals add up to, an auditable record
of interaction; it says nothing of whether the claim is true.
"""

from typing import Any

from affidavit.domain.freshness import accuracy_factor, utility_factor
from affidavit.domain.policy import ONE, Policy
from affidavit.domain.score import tier
from affidavit.domain.times import age_days


def decimal(millionths: int) -> str:
    """Returns a counted quantity as people read it."""
    return f"{millionths / ONE:g}"


def score_formula(state: dict[str, Any], score: float, now: int, policy: Policy) -> str:
    """Returns the score as a formula with this claim's numbers in it."""
    if state["basis"] == "card":
        return "score = infinity, being on the character card"
    up, down = age_days(state["rein_last_signal_at"], now), age_days(state["disp_last_signal_at"], now)
    return (
        f"score = {decimal(state['reinforcement'])} x .5^({up:.2f} d/{policy.score.reinforcement_half_life} d) - "
        f"{decimal(state['disputation'])} x .5^({down:.2f} d/{policy.score.disputation_half_life} d) = {score:.4f}"
    )


def feedback_factors(state: dict[str, Any], policy: Policy) -> list[str]:
    """Returns by what each verdict that a person gave multiplies the rank; nothing for a slot that nobody filled."""
    factors = (("utility", utility_factor), ("accuracy", accuracy_factor))
    found = ((name, factor, state[name]["verdict"]) for name, factor in factors if name in state)
    return [f"{name} = {factor(verdict, policy):.2f}, being {verdict}" for name, factor, verdict in found]


def steps(state: dict[str, Any], score: float, policy: Policy) -> list[dict[str, Any]]:
    """Returns what the next steps of a live claim require, each with what is there: actual against required."""
    if not state["live"] or state["basis"] == "card":
        return []
    found = []
    if state["form"] == "reflection" and state["status"] == "pending":
        found += _step("confirmed", state, score, policy.score.confirmed, policy)
    if (state["form"], state["status"]) in {("reflection", "confirmed"), ("fact", "active")}:
        found += _step("promoted", state, score, policy.score.promoted, policy)
    if state["status"] in {"active", "pending", "confirmed"} and state["form"] != "narrative":
        found.append(
            {
                "step": "archived",
                "measure": "days below zero",
                "actual": state["sub_zero_days"],
                "required": policy.archive.after_days,
            },
        )
    return found


def _step(name: str, state: dict[str, Any], score: float, required: int, policy: Policy) -> list[dict[str, Any]]:
    sessions = {
        "step": name,
        "measure": "sessions",
        "actual": state["sessions"],
        "required": 0 if state["vouched"] else policy.score.distinct_sessions,
    }
    return [{"step": name, "measure": "score", "actual": round(score, 6), "required": required / ONE}, sessions]


def tier_of(state: dict[str, Any], score: float, policy: Policy) -> str:
    """Returns the tier that the score means: a reading, not what happened to the claim."""
    return "protected" if state["basis"] == "card" else tier(score, policy)
