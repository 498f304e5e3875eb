"""What the verbs of the Python API answer with: plain frozen data."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from affidavit.projections.answers import Claim
from affidavit.projections.snapshot import shown

if TYPE_CHECKING:
    from affidavit.journal.log import Receipt


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a write: the position of its last record (0 if nothing was written), and a refusal if there was one."""

    position: int
    claim: str = ""
    refused: str = ""
    rule: str = ""
    events: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Remembered:
    """What `remember` did: the evidence recorded, the claims it supports now, what was refused, and the position.

    `withheld` counts what a weaker source was to replace, `pending` the messages that are still to be read, and `feedback`
    are the verdicts that whole messages of the user gave, each on the claim of that id.
    """

    position: int
    evidence: list[str] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    refused: list[dict[str, str]] = field(default_factory=list)
    known: int = 0
    revised: int = 0
    failed: int = 0
    secrets: list[dict[str, Any]] = field(default_factory=list)
    withheld: int = 0
    pending: int = 0
    feedback: list[dict[str, str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Judged:
    """What became of a verdict on a claim.

    `counted` is set, repeated or older as the verdict was counted, known if this feedback was taken before, and empty for a
    refusal. `position` is that of its last record, 0 if there is none.
    """

    claim: str
    verdict: str
    counted: str = ""
    position: int = 0
    refused: str = ""
    rule: str = ""
    events: tuple[str, ...] = ()


@dataclass(slots=True)
class Imported:
    """What an import did to one scope: counts of messages, the lines skipped with their reasons, and what was derived.

    `format` is what it was read as. `noise` counts, by class, what was left out on purpose, such as progress and thinking.
    Of a store of memories, what is skipped or holds a secret has a `place` instead of a `line`, a refused memory is among
    the skipped, and `supported` counts those that say what a claim said already. `pending` counts the messages that are
    still to be read.
    """

    scope: str
    format: str = ""
    opened: bool = False
    recorded: int = 0
    revised: int = 0
    known: int = 0
    skipped: list[dict[str, Any]] = field(default_factory=list)
    noise: dict[str, int] = field(default_factory=dict)
    secrets: list[dict[str, Any]] = field(default_factory=list)
    secrets_kept: bool = False
    derived: int = 0
    supported: int = 0
    reaffirmed: int = 0
    superseded: int = 0
    quarantined: int = 0
    refused: int = 0
    failed: int = 0
    pending: int = 0
    position: int = 0


@dataclass(frozen=True, slots=True)
class Scope:
    """A scope: its name, time zone and the number of its records."""

    id: str
    name: str
    time_zone: str
    records: int


@dataclass(frozen=True, slots=True)
class Status:
    """Where a ledger stands: head of the log, sizes, and the position of each view (None if it is not built)."""

    ledger: str
    position: int
    scopes: list[Scope]
    log_bytes: int
    views: dict[str, int | None]


@dataclass(frozen=True, slots=True)
class Surfaced:
    """A claim that the agent may ask its user about: its 24-digit id, sentence, form, and score at the moment."""

    claim: str
    text: str
    form: str
    score: float


@dataclass(frozen=True, slots=True)
class Replied:
    """What a reply said: the evidence it was recorded as, and its verdict on each claim, a refusal included."""

    evidence: str
    verdicts: list[dict[str, str]]
    position: int


def outcome(receipt: "Receipt", claim: bytes | None = None) -> Outcome:
    """Returns what became of a judgement, from the receipt of its command: of this claim, or of the last one it changed."""
    changed = [event.stream for event in receipt.events if event.stream_class == "claim"]
    claims = [claim] if claim and changed else changed
    return Outcome(
        position=receipt.position + receipt.count - 1 if receipt.count else 0,
        claim=shown(claims[-1]) if claims else "",
        refused=str(receipt.refused) if receipt.refused else "",
        rule=receipt.refused.rule if receipt.refused else "",
        events=tuple(event.type_name.partition(".")[0] for event in receipt.events),
    )
