"""Relations: which observations a new fact of the user speaks for or against (seed 000, stage 2).

Facts are weighed in batches against a pool of confirmed reflections, persona claims and facts; what a model finds becomes
signals, and every fact of the batch is marked, in one decision. A failed answer marks nothing, so the facts stay eligible.
The agent's own words are no facts of the user, so no echo can get here. The same holds for a rebuttal: a message whose words
ask to drop a topic moves only the claims that a model names as its target.
"""

from dataclasses import dataclass

from affidavit.domain.candidates import OBSERVED
from affidavit.domain.claims import ClaimEvent, ClaimState, SignalApplied, places
from affidavit.domain.commands import OfScope
from affidavit.domain.decisions import Decision
from affidavit.domain.draft import Draft
from affidavit.domain.events import Id, event_type
from affidavit.domain.index import Index, Tally
from affidavit.domain.signals import moved


@event_type("claim-related.v1", public="claim state targets extractor")
class ClaimRelated(ClaimEvent):
    """The fact was weighed against the observations; it spoke for or against the `targets`."""

    targets: tuple[Id, ...]
    extractor: str


@dataclass(frozen=True, slots=True)
class Found:
    """A relation that holds up: ids of fact and target, and which way it speaks."""

    fact: bytes
    target: bytes
    reinforces: bool
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Relate(OfScope):
    """Take what was found of these facts."""

    facts: tuple[bytes, ...]
    found: tuple[Found, ...]
    extractor: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rebut(OfScope):
    """Take a message's rebuttal of these claims."""

    item: bytes
    targets: tuple[bytes, ...]
    extractor: str

    @property
    def natural_key(self) -> tuple[str, ...]:
        """Returns message and targets: it rebuts a claim once."""
        return ("rebut", self.item.hex(), *(target.hex() for target in self.targets))


def relatable(state: ClaimState) -> bool:
    """Tells whether a fact is to be weighed: from the user's own words, and not weighed yet; absorbed ones too."""
    there = state.live or state.status == "absorbed"
    return state.form == "fact" and there and state.basis == "user_statement" and not state.related


def observed(state: ClaimState) -> bool:
    """Tells whether a claim may be reinforced or disputed by a fact at this moment."""
    return state.live and (state.form, state.status) in OBSERVED and not state.protected


def relate(command: Relate, index: Index) -> Decision:
    """Applies the signals and marks the facts. What changed meanwhile is left out: a fact, or a target, that is not live."""
    draft = Draft(index)
    facts = {fact: state for fact in command.facts if (state := index.claim(fact)) is not None and relatable(state)}
    spoke: dict[bytes, list[bytes]] = {fact: [] for fact in facts}
    tallies: dict[bytes, Tally] = {}
    for found in command.found:
        target = draft.claim(found.target)
        if found.fact not in facts or target is None or not _may_speak(found.fact, facts[found.fact], found.target, target):
            continue
        if found.target in spoke[found.fact]:
            # One fact says one thing of a target, whatever a model repeats.
            continue
        spoke[found.fact].append(found.target)
        tally = tallies.get(found.target) or index.tally(found.target)
        if found.reinforces:
            theirs = index.tally(found.fact)
            tally = tallies[found.target] = Tally(tally.sources | theirs.sources, tally.sessions | theirs.sessions)
        draft.add(_signal(command, found, facts[found.fact], target, tally, index))
    for fact, targets in spoke.items():
        state = draft.claim(fact)
        if state is not None:
            draft.add(
                ClaimRelated(
                    id=command.new_id(),
                    occurred_at=command.at,
                    claim=fact,
                    state=state.with_(related=True),
                    targets=tuple(targets),
                    extractor=command.extractor,
                ),
            )
    return tuple(draft.events)


def _may_speak(fact: bytes, said: ClaimState, claim: bytes, target: ClaimState) -> bool:
    """Tells whether a fact may be evidence for or against a claim: of the same namespace, and not one it is made of."""
    apart = claim != fact and fact not in target.parents and said.superseded_by != claim
    return observed(target) and said.namespace == target.namespace and apart


def _signal(
    command: Relate, found: Found, fact: ClaimState, target: ClaimState, tally: Tally, index: Index
) -> SignalApplied:
    at = command.at if fact.evidence_at is None else fact.evidence_at
    weights = index.policy.signals
    cited = index.citations(found.fact)
    if found.reinforces:
        after = moved(target, at, index.policy, up=weights.user_fact_reinforces, source="user_fact")
        weight = after.reinforcement - target.reinforcement
        after = after.with_(sources=len(tally.sources), sessions=len(tally.sessions))
    else:
        weight = weights.user_fact_negates
        after = moved(target, at, index.policy, down=weight, source="user_fact")
    return SignalApplied(
        id=command.new_id(),
        occurred_at=command.at,
        evidence=tuple(dict.fromkeys(place.evidence for place in cited)),
        parents=(found.fact,),
        claim=found.target,
        state=after,
        source="user_fact",
        effect="reinforces" if found.reinforces else "negates",
        weight=weight,
        places=places(cited) if found.reinforces else (),
        extractor=command.extractor if found.reinforces else "",
        generation=index.generation if found.reinforces else 0,
        reason=found.reason or None,
    )


def rebut(command: Rebut, index: Index) -> Decision:
    """Applies a rebuttal by key words to each live claim that a model named as its target; only the user's words rebut."""
    evidence = index.evidence(command.item)
    if evidence is None or not evidence.first_hand:
        return ()
    draft = Draft(index)
    weight = index.policy.signals.keyword_rebuts
    for target in dict.fromkeys(command.targets):
        state = draft.claim(target)
        if state is None or not observed(state) or state.namespace != evidence.namespace:
            continue
        after = moved(state, evidence.occurred_at, index.policy, down=weight, source="user_keyword_rebut")
        draft.add(
            SignalApplied(
                id=command.new_id(),
                occurred_at=command.at,
                evidence=(command.item,),
                claim=target,
                state=after,
                source="user_keyword_rebut",
                effect="negates",
                weight=weight,
            ),
        )
    return tuple(draft.events)
