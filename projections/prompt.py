"""The prompt view: the live claims that a prompt may show, ready to be ranked at a moment.

The view holds nothing that depends on time; `render` adds the moment, the policy and the token counter, and returns the
text with its manifest: what is in it, at which rank, what was left out, and why. Persona claims and reflections are ranked
by their evidence score, facts by freshness, weight and feedback; each section has its own budget. Rendering writes nothing.
"""

from dataclasses import dataclass
from typing import Any

import msgspec

from affidavit.domain.freshness import is_dormant
from affidavit.domain.mentions import is_suppressed
from affidavit.domain.packing import (
    Candidate,
    Observed,
    Section,
    cap,
    pack_facts,
    pack_persona,
    pack_reflections,
    suppressed_section,
)
from affidavit.domain.policy import Policy
from affidavit.domain.score import score
from affidavit.domain.times import SECOND, age_days, iso
from affidavit.domain.tokens import TokenCounter
from affidavit.journal.reading import ClaimFields, ClaimState, Entry, Reader
from affidavit.projections.rows import Draft, Rows

FACT, OBSERVED = "fact", "observed"
_HOUR = 3600 * SECOND


class Prompt:
    """The projection of live facts, reflections and persona claims."""

    name = "prompt"
    version = 3

    def fold(self, entry: Entry, rows: Draft, reader: Reader) -> None:
        """Keeps a claim while it is live, and lets it go when it is not."""
        fields, scope = entry.fields, entry.body.scope
        if not isinstance(fields, ClaimFields) or fields.state.form == "narrative":
            return
        state = fields.state
        kind = FACT if state.form == "fact" else OBSERVED
        if not state.live:
            rows.delete(scope, kind, fields.claim)
            return
        content = reader.sealed(state.wording(reader.generation(scope)))["content"]
        natural = {
            "text": content["text"],
            "kind": state.kind,
            "basis": state.basis,
            "confirmed_at": state.confirmed_at,
            "pinned": state.pinned,
            "namespace": reader.name(state.namespace),
        }
        # Only where a person filled it, so that the rows of a log without feedback are what they were.
        natural |= {"utility": state.utility.verdict} if state.utility else {}
        natural |= {"accuracy": state.accuracy.verdict} if state.accuracy else {}
        if kind == OBSERVED:
            natural |= _observed_fields(state) | {"entity": content["entity"]}
        rows.put(scope, kind, fields.claim, natural, {})

    def build(self, rows: Draft, reader: Reader, upto: int) -> None:
        """Reads the last record of each claim as of the position."""
        reader.vault.keys.load_all()
        for entry in reader.claim_entries(upto):
            self.fold(entry, rows, reader)


def _observed_fields(state: ClaimState) -> dict[str, Any]:
    return {
        "form": state.form,
        "status": state.status,
        "importance": state.importance,
        "reinforcement": state.reinforcement,
        "disputation": state.disputation,
        "rein_last_signal_at": state.rein_last_signal_at,
        "disp_last_signal_at": state.disp_last_signal_at,
        "person_protected": state.person_protected,
        "mentions": list(state.mentions),
        "suppressed_at": state.suppressed_at,
        "since": state.since,
        "happens_from": state.happens_from,
        "happens_to": state.happens_to,
    }


class _Fact(msgspec.Struct):
    text: str
    kind: str
    basis: str
    confirmed_at: int | None
    pinned: bool
    namespace: str
    utility: str = ""
    accuracy: str = ""


class _Observed(_Fact, kw_only=True):
    """A persona claim or reflection, as the view keeps it."""

    entity: str
    form: str
    status: str
    importance: int | None
    reinforcement: int
    disputation: int
    rein_last_signal_at: int | None
    disp_last_signal_at: int | None
    person_protected: bool
    mentions: tuple[int, ...]
    suppressed_at: int | None
    since: int | None
    happens_from: int | None
    happens_to: int | None

    @property
    def protected(self) -> bool:
        """Tells whether the claim stands on the character card."""
        return self.basis == "card"


_facts = msgspec.msgpack.Decoder(tuple[_Fact, msgspec.Raw])
_observed = msgspec.msgpack.Decoder(tuple[_Observed, msgspec.Raw])


@dataclass(frozen=True, slots=True)
class Rendered:
    """A prompt and its manifest, which names everything that the text depends on."""

    text: str
    manifest: dict[str, Any]
    sections: tuple[Section, ...]


def render(
    rows: Rows,
    scope: bytes,
    *,
    position: int,
    now: int,
    policy: Policy,
    digest: bytes,
    counter: TokenCounter,
    budget: int | None = None,
    namespace: str = "",
) -> Rendered:
    """Returns the prompt of one namespace and the unnamed one, within `budget` tokens for the whole.

    Protected claims stand outside every budget. `digest` names the policy.
    """
    seen = [
        _at(key, one, now, policy)
        for key, (one, _) in rows.each(scope, OBSERVED, _observed)
        if one.namespace in {"", namespace}
    ]
    suppressed = [one for one in seen if one.suppressed]
    unwanted = {one.text for one in suppressed}
    seen = [msgspec.structs.replace(one, suppressed=True) if one.text in unwanted else one for one in seen]
    facts = [
        Candidate(key, fact.text, fact.kind, fact.basis, fact.confirmed_at, fact.pinned, fact.utility, fact.accuracy)
        for key, (fact, _) in rows.each(scope, FACT, _facts)
        if fact.namespace in {"", namespace}
    ]
    own = policy.prompt
    persona = pack_persona(
        [one for one in seen if one.form == "persona"],
        counter,
        cap(own.persona, budget, 0),
        most_protected=own.most_protected,
    )
    spent = persona.tokens - persona.outside
    reflections = pack_reflections(
        [one for one in seen if one.form == "reflection"],
        counter,
        cap(own.reflections, budget, spent),
    )
    spent += reflections.tokens
    known = pack_facts(facts, now, policy, counter, cap(own.facts, budget, spent))
    spent += known.tokens
    last = suppressed_section(suppressed, counter, most=own.most_suppressed)
    while budget is not None and last.chosen and spent + last.tokens > budget:
        last = suppressed_section(suppressed, counter, most=len(last.chosen) - 1)
    everything = (persona, reflections, known, last)
    sections = tuple(section for section in everything if section.lines)
    text = "\n\n".join("\n".join([section.heading, "", *section.lines]) for section in sections)
    manifest = {
        "position": position,
        "now": iso(now),
        "policy": digest.hex(),
        "counter": counter.identity,
        "namespace": namespace,
        "budget": budget,
        "tokens": sum(section.tokens for section in sections),
        "sections": [
            _section_manifest(section) for section in everything if section is known or section.chosen or section.left
        ],
    }
    return Rendered(text + "\n" if text else "", manifest, sections)


def _at(claim: bytes, one: _Observed, now: int, policy: Policy) -> Observed:
    """Returns a persona claim or reflection as it is at a moment."""
    window = policy.repetition.window_hours * _HOUR
    return Observed(
        claim=claim,
        text=one.text,
        entity=one.entity,
        form=one.form,
        status=one.status,
        score=score(one, now, policy),
        importance=one.importance,
        protected=one.protected,
        person_protected=one.person_protected,
        suppressed=is_suppressed(one.suppressed_at, now, window=window),
        dormant=is_dormant(one.kind, one.confirmed_at, now, policy, pinned=one.pinned),
        past_days=_past_days(one, now, policy),
    )


def _past_days(one: _Observed, now: int, policy: Policy) -> int | None:
    """Returns how many days ago it was, for what is past: what it tells of is over, or nobody touched it for long."""
    happens = one.happens_to if one.happens_to is not None else one.happens_from
    anchor, limit = (one.since, policy.prompt.past_after) if happens is None else (happens, policy.prompt.past_event_after)
    age = age_days(anchor, now)
    return int(age) if age > limit else None


def _section_manifest(section: Section) -> dict[str, Any]:
    return {
        "section": section.name,
        "tokens": section.tokens,
        "claims": [
            {"id": chosen.claim.hex()[:24], "place": chosen.place, "rank": _rounded(chosen.rank), "tokens": chosen.tokens}
            for chosen in section.chosen
        ],
        "omitted": [{"id": left.claim.hex()[:24], "reason": left.reason, "tokens": left.tokens} for left in section.left],
    }


def _rounded(rank: float | None) -> float | None:
    """Returns a rank as the manifest tells it; a protected claim competes with none and has none."""
    return None if rank is None else round(rank, 6)
