"""What a source says: one message as an importer or a host hands it over, before it is evidence."""

from dataclasses import dataclass

from affidavit.domain.proposals import Span, VoiceRole


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message of a conversation, a tool's result, or a file.

    `id` is the source's own; with `source` and `session` it is the natural key. `at` is in microseconds since 1970 UTC,
    `assumed` tells that a zone was put in for a naive time. `adopted` are spans that the source marks as not the
    speaker's own testimony; what can be detected is added. `summary` marks a summary of other messages, of which `parents`
    are the evidence ids where it is ours; `asserted` a person's or host's own assertion, which no extractor reads. `targets`
    are the claims whose state a tool's result is about, as the host says.
    """

    id: str
    role: VoiceRole
    text: str
    at: int
    source: str = "chat"
    session: str = ""
    speaker: str = ""
    parent: str = ""
    namespace: str = ""
    assumed: bool = False
    adopted: tuple[Span, ...] = ()
    summary: bool = False
    parents: tuple[bytes, ...] = ()
    asserted: bool = False
    targets: tuple[bytes, ...] = ()
