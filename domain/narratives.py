"""Shared narratives: warm memories, such as an inside joke, which are nobody's assertion (seed 004).

They are claims of their own form, which no inference takes: no fact, reflection, promotion, signal, opposition, replacement,
recall or prompt of facts has one among its inputs. They are only ever added on purpose, by user, operator or host, and stand
under no evidence, so that no extractor or summary reads them. They have no counters and no decay; one may have an expiry of
its own, after which it is withheld when read. A person corrects or forgets it like any other claim.
"""

from dataclasses import dataclass
from typing import Final, get_args

from affidavit.domain.claims import ClaimContent, ClaimEvent, ClaimState, Tone, Wording, claim_id, digests
from affidavit.domain.commands import OfScope
from affidavit.domain.decisions import Decision, Refused
from affidavit.domain.draft import Draft
from affidavit.domain.events import Id, Sealing, event_type
from affidavit.domain.freshness import is_expired
from affidavit.domain.index import Index
from affidavit.domain.rejections import lift
from affidavit.domain.roles import JUDGES
from affidavit.domain.scopes import refused_role

FORM: Final = "narrative"
SHORTEST = 10
"""How many characters a narrative has at least."""
TONES = tuple(tone for tone in get_args(Tone) if tone)


@event_type("narrative-added.v1", public="claim state key")
class NarrativeAdded(ClaimEvent):
    """A person or host added a narrative on purpose; `state` has its tone and expiry."""

    key: Id
    content: ClaimContent

    @property
    def sealing(self) -> Sealing:
        """Returns a key of its own: these are somebody's words, and no evidence's."""
        return Sealing(own=self.key, fresh=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class AddNarrative(OfScope):
    """Keep this warm memory. `namespace` is a name with its sealed id; `expires_at` is in microseconds, None for never."""

    namespace: str
    namespace_id: bytes | None
    text: str
    tone: str
    expires_at: int | None = None


def add_narrative(command: AddNarrative, index: Index) -> Decision:
    """Adds a narrative. Quiet if it is there, with this tone and expiry; added anew, it takes these.

    Refused to all but users, operators and hosts, for a text that is no line of 10 characters or more, an unknown tone, an
    expiry that is over, and, to a host, for one that a person forgot. A person who adds it again brings it back.
    """
    if command.actor.role not in JUDGES | {"host"}:
        return refused_role(command, command.scope, "user, operator or host")
    text = " ".join(command.text.split())
    refused = _unfit(command, text)
    if refused:
        return refused
    content = ClaimContent(text=text, entity="relationship")
    claim = claim_id(index, command.namespace, FORM, content.entity, text)
    known = index.claim(claim)
    if known is not None and known.live and (known.tone, known.expires_at) == (command.tone, command.expires_at):
        return ()
    draft = Draft(index)
    event_id, key = command.new_id(), command.new_id()
    state = ClaimState(
        form=FORM,
        kind=FORM,
        polarity="positive",
        status="active",
        namespace=command.namespace_id,
        wordings=(Wording(generation=0, content=event_id),),
        asserted=True,
        basis="manual_correction" if command.actor.role in JUDGES else "unknown",
        method="manual" if command.actor.role in JUDGES else "unknown",
        evidence_at=command.at,
        confirmed_at=command.at,
        confidence=index.policy.confidence.asserted,
        since=command.at,
        tone=command.tone,  # type: ignore[arg-type] # it is one of TONES
        expires_at=command.expires_at,
        **digests(index, command.namespace, content, "positive", form=FORM),
    )
    if command.actor.role in JUDGES:
        lift(draft, command, state)
    elif index.rejections(state.sentence) or (known is not None and not known.live):
        return Refused("rejected value", actual="a narrative that a person forgot", required="one that nobody forgot")
    draft.add(NarrativeAdded(id=event_id, occurred_at=command.at, claim=claim, state=state, key=key, content=content))
    return tuple(draft.events)


def _unfit(command: AddNarrative, text: str) -> Refused | None:
    if len(text) < SHORTEST or not text.isprintable():
        return Refused("wording", actual=f"{text!r:.40}", required=f"one line of {SHORTEST} characters or more")
    if command.tone not in TONES:
        return Refused("tone", actual=f"{command.tone!r:.40}", required=f"one of {', '.join(TONES)}")
    if is_expired(command.expires_at, command.at):
        return Refused("expiry", actual="a moment that is over", required="one to come")
    return None
