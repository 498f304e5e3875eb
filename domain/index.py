"""The decision index: what a decision may ask beyond its own stream, as a few named questions.

Answered by plain data: small tables in the log file, read inside the write transaction; a dictionary in tests. Keyed
digests stand for content, so that the tables can be rebuilt from the records alone, even after an erasure.
"""

from typing import TYPE_CHECKING, NamedTuple, Protocol

from affidavit.domain.policy import Policy

if TYPE_CHECKING:
    from affidavit.domain.claims import ClaimContent, ClaimState
    from affidavit.domain.evidence import EvidenceContent, EvidenceState


class Citation(NamedTuple):
    """One place that a claim stands on: evidence id, revision, and a span in code points, with who derived it.

    `extractor` is empty where a person or host said so.
    """

    evidence: bytes
    revision: int
    start: int
    end: int
    extractor: str


class Tally(NamedTuple):
    """How widely a claim is supported: distinct sources and distinct sessions of first-hand evidence."""

    sources: frozenset[bytes]
    sessions: frozenset[bytes]


class Rejection(NamedTuple):
    """A rejected value in force: the claim it was rejected with, and when that occurred in microseconds."""

    claim: bytes
    at: int


class RejectedSpan(NamedTuple):
    """A span whose claim was rejected, with the keyed digest of entity and polarity, and who had derived it."""

    claim: bytes
    revision: int
    start: int
    end: int
    about: bytes
    extractors: tuple[str, ...]


class Mode(NamedTuple):
    """Whether powerful memory is on, and since when, in microseconds; 0 from the beginning."""

    powerful: bool = True
    since: int = 0


class Index(Protocol):
    """The questions. Ids are 16 bytes; digests are keyed by the scope's secret."""

    @property
    def policy(self) -> Policy:
        """Returns the policy in force in the scope."""
        ...

    @property
    def generation(self) -> int:
        """Returns the ordinal of the scope's active generation."""
        ...

    @property
    def mode(self) -> Mode:
        """Returns whether powerful memory is on in the scope, and since when."""
        ...

    def keyed(self, purpose: str, *parts: str) -> bytes:
        """Returns a digest of 16 bytes of the parts, keyed by the scope's secret and the purpose."""
        ...

    def claim(self, claim: bytes) -> "ClaimState | None":
        """Returns a claim's state, or None if it has none."""
        ...

    def content(self, state: "ClaimState") -> "ClaimContent":
        """Returns the wording of a claim. Raises KeyMissing."""
        ...

    def evidence(self, item: bytes) -> "EvidenceState | None":
        """Returns the state of a piece of evidence, or None."""
        ...

    def text(self, item: bytes, revision: int) -> "EvidenceContent":
        """Returns the private part of one revision of evidence."""
        ...

    def holders(self, topic: bytes) -> tuple[bytes, ...]:
        """Returns the claims that say something of this entity and attribute, whatever their status, by first record."""
        ...

    def same_value(self, value: bytes) -> tuple[bytes, ...]:
        """Returns the claims with this entity, attribute, value and polarity, by first record."""
        ...

    def personas(self, about: bytes) -> tuple[bytes, ...]:
        """Returns the persona claims about this entity with this polarity, whatever their status, by first record."""
        ...

    def citations(self, claim: bytes) -> tuple[Citation, ...]:
        """Returns every place that the claim stands on."""
        ...

    def citing(self, item: bytes) -> tuple[tuple[bytes, Citation], ...]:
        """Returns (claim, place) for every citation of this evidence."""
        ...

    def tally(self, claim: bytes) -> Tally:
        """Returns the distinct sources and sessions of the claim's first-hand evidence."""
        ...

    def rejections(self, digest: bytes) -> tuple[Rejection, ...]:
        """Returns the rejections in force of a sentence or value digest."""
        ...

    def rejected_spans(self, item: bytes) -> tuple[RejectedSpan, ...]:
        """Returns the rejected spans of this evidence that are in force."""
        ...
