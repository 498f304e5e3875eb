"""Replacement: when a new claim may take the place of an older one (seed 002, "Conservative replacement").

Sources have priorities by what they are apt for, which are no probabilities of truth. Equal replaces equal. A person's own
statement may replace whatever was said before, and a nominated observation of a tool may move a piece of work on, even
where a person had corrected how it stood. Neither overrides a pin, a card, the time of the evidence, or the entity and
namespace. What is too weak is not written over the old claim: it is held for a person, and its duplicates with it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from affidavit.domain.claims import ClaimState
from affidavit.domain.decisions import Refused
from affidavit.domain.evidence import Basis
from affidavit.domain.freshness import priority
from affidavit.domain.proposals import Form, Kind

WEAKER = "weaker replacement"
PINNED = "pinned"
FIRST_HAND: frozenset[str] = frozenset({"user_statement", "manual_correction"})
"""Bases of what a person said: they may replace whatever was said before."""
_PROTECTED = 4


@dataclass(frozen=True, slots=True)
class Incoming:
    """What would take an older claim's place: its form and kind, the label and time of its evidence, and whom it is about.

    `about` is the keyed digest of namespace, entity and the old claim's polarity; `nominated` are the claims that a host
    named with a tool's observation.
    """

    form: Form
    kind: Kind
    basis: Basis
    at: int
    namespace: bytes | None
    about: bytes
    nominated: tuple[bytes, ...] = ()


def standing(state: ClaimState) -> int:
    """Returns the priority that a claim is protected with: its source's, and 4 where a person vouches for it."""
    accurate = state.accuracy is not None and state.accuracy.verdict == "accurate"
    held = _PROTECTED if state.vouched or state.corrected or accurate else 0
    return max(priority(state.basis, state.kind), held)


def outranks(basis: str, kind: str, old: ClaimState) -> bool:
    """Tells whether a claim of this basis and kind may take the older claim's place as far as its source goes."""
    observed = basis == "tool_observation" and old.kind == "project_state"
    return basis in FIRST_HAND or observed or priority(basis, kind) >= standing(old)


def may_replace(incoming: Incoming, claim: bytes, old: ClaimState) -> Refused | None:
    """Returns None where the claim may be replaced, else what stands against it; `WEAKER` alone is for a person to see."""
    fault = _mismatch(incoming, old)
    if fault:
        return fault
    if old.pinned or old.protected:
        what = "a pinned claim" if old.pinned else "a claim of the character card"
        return Refused(PINNED if old.pinned else "card", actual=what, required="a claim that may be replaced")
    if old.evidence_at is not None and old.evidence_at > incoming.at:
        return Refused("newer", actual="a claim with newer evidence", required="evidence newer than the claim's")
    if incoming.basis == "tool_observation" and claim not in incoming.nominated:
        return Refused("nomination", actual="a claim that the host did not nominate", required="a nominated claim")
    if not outranks(incoming.basis, incoming.kind, old):
        found = f"priority {priority(incoming.basis, incoming.kind)} of a {incoming.basis}"
        return Refused(WEAKER, actual=found, required=f"priority {standing(old)}, as the claim has")
    return None


def _mismatch(incoming: Incoming, old: ClaimState) -> Refused | None:
    if not old.live:
        return Refused("not live", actual=old.status, required="a live claim")
    if old.namespace != incoming.namespace:
        return Refused("namespace", actual="a claim of another namespace", required="one namespace")
    if old.about != incoming.about:
        return Refused("entity", actual="a claim about another entity", required="one entity")
    if old.form != incoming.form:
        return Refused("form", actual=f"a {old.form}", required=f"a {incoming.form}")
    return None


@dataclass(frozen=True, slots=True)
class Named:
    """What one proposal of an answer says about replacing: its own claim, its kind, and the id it names, empty for none."""

    claim: bytes
    kind: Kind
    replaces: str


def contract_fault(said: Iterable[Named], shown: Mapping[str, tuple[bytes, Kind]], *, observed: bool) -> str:
    """Returns what in an answer breaks the contract of replacing, empty if nothing does: such an answer is no answer.

    It names claims that it was shown, none of them twice, of the kind that it proposes, and not in a circle. What is read of
    a tool's observation is a project state that replaces one that was nominated. `shown` has claim and kind by id.
    """
    replaced: dict[bytes, bytes] = {}
    for one in said:
        if observed and (one.kind != "project_state" or not one.replaces):
            return "of a tool's observation it says something else than what a nominated project state has become"
        if not one.replaces:
            continue
        if one.replaces not in shown:
            return "it replaces a claim that it was not shown"
        old, kind = shown[one.replaces]
        if kind != one.kind:
            return f"it replaces a {kind} by a {one.kind}"
        if replaced.setdefault(old, one.claim) != one.claim:
            return "two of its claims replace the same one"
    return "its replacements go in a circle" if _circular(replaced) else ""


def _circular(replaced: Mapping[bytes, bytes]) -> bool:
    """Tells whether following what replaces what leads back to its start; a claim that replaces itself is restated."""
    for start in replaced:
        at, seen = start, {start}
        while at in replaced and replaced[at] != at:
            at = replaced[at]
            if at in seen:
                return True
            seen.add(at)
    return False
