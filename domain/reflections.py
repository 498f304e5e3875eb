"""Reflections: one sentence that several facts support together (seed 000).

Its key are its sorted parents, not its words, which a model chooses anew each time: the same facts are one reflection,
worded once. It starts pending, with the importance seed of its most important fact and the places of all of them, so `why`
shows the words behind it. The facts it absorbed go on counting, and are no longer shown or promoted by themselves.
"""

from dataclasses import dataclass

from affidavit.domain.claims import ClaimContent, ClaimDerived, ClaimState, ClaimSuperseded, Wording, digests, places
from affidavit.domain.commands import OfScope
from affidavit.domain.decisions import Decision, Refused
from affidavit.domain.events import Event
from affidavit.domain.evidence import Basis
from affidavit.domain.index import Index, Rejection
from affidavit.domain.normalise import VERSION
from affidavit.domain.questions import Reflection
from affidavit.domain.rejections import rejected_within
from affidavit.domain.scopes import WriteRefused
from affidavit.domain.score import importance_seed
from affidavit.domain.signals import latest


@dataclass(frozen=True, slots=True, kw_only=True)
class Reflect(OfScope):
    """Let these facts be one reflection. `namespace` is theirs, by name; `answer` is what a model said of them."""

    facts: tuple[bytes, ...]
    namespace: str
    extractor: str
    answer: Reflection


def reflection_id(index: Index, namespace: str, entity: str, facts: tuple[bytes, ...]) -> bytes:
    """Returns the id of the reflection on these facts, in any order."""
    parents = sorted(fact.hex() for fact in set(facts))
    return index.keyed("claim", str(VERSION), namespace, "reflection", entity, *parents)


def absorbable(state: ClaimState) -> bool:
    """Tells whether a fact may become part of a reflection: live, absorbed by none, held as it is by no person or card."""
    held = state.protected or state.person_protected or state.asserted
    return state.form == "fact" and state.status == "active" and state.live and not held


def reflect(command: Reflect, index: Index) -> Decision:
    """Derives the reflection and marks its facts absorbed, in one decision.

    Known already, it is only marked (row N47). Refused where a fact it read is not what it was, and by the gate.
    """
    states = {fact: index.claim(fact) for fact in dict.fromkeys(command.facts)}
    claim = reflection_id(index, command.namespace, command.answer.entity, command.facts)
    known = index.claim(claim)
    taken = {fact: state for fact, state in states.items() if state is not None and absorbable(state)}
    if known is None and len(taken) < max(1, len(states)):
        return Refused("stale", actual="a fact that changed since it was read", required="facts as they were read")
    events: list[Event] = []
    if known is None:
        begun = _begun(command, claim, taken, index)
        if isinstance(begun, Refused):
            return begun
        events.append(begun)
    for fact, state in taken.items():
        absorbed = state.with_(status="absorbed", superseded_by=claim, since=command.at, review="")
        events.append(
            ClaimSuperseded(id=command.new_id(), occurred_at=command.at, claim=fact, state=absorbed, by=claim),
        )
    return tuple(events)


def _begun(command: Reflect, claim: bytes, facts: dict[bytes, ClaimState], index: Index) -> ClaimDerived | Refused:
    content = ClaimContent(text=command.answer.text.strip(), entity=command.answer.entity)
    if not content.text or not content.entity.strip() or not (content.text + content.entity).isprintable():
        return Refused("wording", actual=f"{content.text!r:.40}", required="one sentence on one line")
    event_id = command.new_id()
    cited = tuple(dict.fromkeys(place for fact in facts for place in places(index.citations(fact))))
    items = tuple(dict.fromkeys(place.evidence for place in cited))
    compared = digests(index, command.namespace, content, "positive")
    rejection = rejected_within(index, command.namespace, [index.content(state) for state in facts.values()], content.text)
    if rejection is not None:
        return _refused(command, content, items, rejection)
    tallies = [index.tally(fact) for fact in facts]
    states = list(facts.values())
    seed = importance_seed(tuple(state.importance for state in states), index.policy)
    evidence_at = None
    for state in states:
        evidence_at = latest(evidence_at, state.evidence_at)
    begun = ClaimState(
        form="reflection",
        kind=command.answer.kind,
        polarity="positive",
        status="pending",
        namespace=states[0].namespace,
        wordings=(Wording(generation=index.generation, content=event_id),),
        generations=(index.generation,),
        basis=_weakest(states),
        method="model",
        evidence_at=evidence_at,
        confirmed_at=evidence_at,
        confidence=min(state.confidence for state in states),
        reinforcement=seed,
        rein_last_signal_at=command.at if seed else None,
        sources=len(frozenset().union(*(tally.sources for tally in tallies))),
        sessions=len(frozenset().union(*(tally.sessions for tally in tallies))),
        parents=tuple(sorted(facts)),
        importance=max((state.importance for state in states if state.importance is not None), default=None),
        since=command.at,
        **compared,
    )
    return ClaimDerived(
        id=event_id,
        occurred_at=command.at,
        evidence=items,
        parents=tuple(sorted(facts)),
        claim=claim,
        state=begun,
        places=cited,
        extractor=command.extractor,
        generation=index.generation,
        content=content,
    )


_STRENGTH: tuple[Basis, ...] = (
    *("unknown", "imported", "summary", "tool_observation", "user_statement", "manual_correction", "card"),
)


_AS_READ: dict[Basis, Basis] = {"manual_correction": "user_statement", "tool_observation": "summary"}


def _weakest(states: list[ClaimState]) -> Basis:
    """Returns the weakest basis among the facts: a reflection is no better than what it stands on.

    What a person corrected is here their statement as a model read it, and what a tool observed is summed up.
    """
    weakest = min((state.basis for state in states), key=_STRENGTH.index)
    return _AS_READ.get(weakest, weakest)


def _refused(command: Reflect, content: ClaimContent, items: tuple[bytes, ...], rejection: Rejection) -> Refused:
    actual, required = "a sentence that says what a person rejected", "a value that no person rejected"
    event = WriteRefused(
        id=command.new_id(),
        occurred_at=command.at,
        evidence=items,
        scope=command.scope,
        rule="rejected value",
        actual=actual,
        required=required,
        bound_to=rejection.claim,
        extractor=command.extractor,
        text=content.text,
    )
    return Refused("rejected value", actual=actual, required=required, events=(event,))
