"""A draft: the decision index as it will be after the events decided so far in one command.

One message may say several things that meet ("I lived in Lisbon, then Porto, now Madrid"); each is decided on what the
ones before it left behind, and all are appended together.
"""

from affidavit.domain.claims import ClaimEvent, ClaimState
from affidavit.domain.events import Event
from affidavit.domain.index import Citation, Index


class Draft:
    """Wraps the index; remembers the events and answers the questions that they change."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self.events: list[Event] = []
        self._states: dict[bytes, ClaimState] = {}

    def add(self, event: Event) -> None:
        """Appends an event; a claim event changes what `claim`, `holders` and `same_value` answer."""
        self.events.append(event)
        if isinstance(event, ClaimEvent):
            self._states[event.claim] = event.state

    def claim(self, claim: bytes) -> ClaimState | None:
        """Returns the claim's state after the draft, or None."""
        return self._states.get(claim) or self.index.claim(claim)

    def holders(self, topic: bytes, *, but: bytes) -> list[tuple[bytes, ClaimState]]:
        """Returns the other claims that say something of this entity and attribute, whatever their status."""
        drafted = (claim for claim, state in self._states.items() if state.topic == topic)
        claims = dict.fromkeys((*self.index.holders(topic), *drafted))
        found = ((claim, self.claim(claim)) for claim in claims if claim != but)
        return [(claim, state) for claim, state in found if state]

    def said_same_value(self, value: bytes, *, but: bytes) -> list[tuple[bytes, ClaimState]]:
        """Returns the other claims with this entity, attribute, value and polarity that are live, or absorbed by one."""
        found = ((claim, self.claim(claim)) for claim in self.index.same_value(value) if claim != but)
        return [(claim, state) for claim, state in found if state and (state.live or state.status == "absorbed")]

    def live_citing(self, item: bytes, *, but: bytes) -> list[tuple[bytes, ClaimState, Citation]]:
        """Returns the other live claims that cite this evidence, once for each place."""
        cited = ((claim, self.claim(claim), place) for claim, place in self.index.citing(item) if claim != but)
        return [(claim, state, place) for claim, state, place in cited if state and state.live]
