"""The prompt view: the live claims that a prompt may show, ready to be ranked at a moment.

The view holds nothing that depends on time; `render` adds the moment, the policy and the token counter, and returns the
text with its manifest: what is in it, at which rank, what was left out, and why. Rendering writes nothing.
"""

from dataclasses import dataclass
from typing import Any

import msgspec

from affidavit.domain.packing import Candidate, Section, pack_facts
from affidavit.domain.policy import Policy
from affidavit.domain.times import iso
from affidavit.domain.tokens import TokenCounter
from affidavit.journal.reading import ClaimFields, Entry, Reader
from affidavit.projections.rows import Draft, Rows

FACT = "fact"


class Prompt:
    """The projection of live facts."""

    name = "prompt"
    version = 2

    def fold(self, entry: Entry, rows: Draft, reader: Reader) -> None:
        """Keeps a claim while it is live, and lets it go when it is not."""
        fields, scope = entry.fields, entry.body.scope
        if not isinstance(fields, ClaimFields) or fields.state.form != FACT:
            return
        state = fields.state
        if not state.live:
            rows.delete(scope, FACT, fields.claim)
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
        rows.put(scope, FACT, fields.claim, natural, {})

    def build(self, rows: Draft, reader: Reader, upto: int) -> None:
        """Reads the last record of each claim as of the position."""
        reader.vault.keys.load_all()
        for entry in reader.claim_entries(upto):
            self.fold(entry, rows, reader)


class _Fact(msgspec.Struct):
    text: str
    kind: str
    basis: str
    confirmed_at: int | None
    pinned: bool
    namespace: str


_facts = msgspec.msgpack.Decoder(tuple[_Fact, msgspec.Raw])


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
    counter: TokenCounter,
    budget: int | None = None,
    namespace: str = "",
) -> Rendered:
    """Returns the prompt of one namespace and the unnamed one, within `budget` tokens for the whole."""
    shown = [
        Candidate(key, fact.text, fact.kind, fact.basis, fact.confirmed_at, fact.pinned)
        for key, (fact, _) in rows.each(scope, FACT, _facts)
        if fact.namespace in {"", namespace}
    ]
    most = policy.prompt.facts if budget is None else min(budget, policy.prompt.facts)
    facts = pack_facts(shown, now, policy, counter, most)
    sections = tuple(section for section in (facts,) if section.lines)
    text = "\n\n".join("\n".join([section.heading, "", *section.lines]) for section in sections)
    manifest = {
        "position": position,
        "now": iso(now),
        "policy": policy.digest.hex(),
        "counter": counter.identity,
        "namespace": namespace,
        "budget": budget,
        "tokens": sum(section.tokens for section in sections),
        "sections": [_section_manifest(facts)],
    }
    return Rendered(text + "\n" if text else "", manifest, sections)


def _section_manifest(section: Section) -> dict[str, Any]:
    return {
        "section": section.name,
        "tokens": section.tokens,
        "claims": [
            {"id": chosen.claim.hex()[:24], "place": chosen.place, "rank": round(chosen.rank, 6), "tokens": chosen.tokens}
            for chosen in section.chosen
        ],
        "omitted": [{"id": left.claim.hex()[:24], "reason": left.reason, "tokens": left.tokens} for left in section.left],
    }
