"""What a rule makes of one clause: a statement of the user, placed in the chunk it was read from."""

from dataclasses import dataclass

from affidavit.domain.proposals import Kind, Polarity


@dataclass(frozen=True, slots=True)
class Finding:
    """What a rule understood of a clause. An empty text asks for the clause itself, put into the third person."""

    kind: Kind
    attribute: str = ""
    value: str = ""
    text: str = ""
    polarity: Polarity = "positive"
    entity: str = "user"


@dataclass(frozen=True, slots=True)
class Statement:
    """A finding with its place: `start` up to `end`, in code points of the chunk, and whether the speaker was sure."""

    start: int
    end: int
    finding: Finding
    hedged: bool = False
