"""The rules extractor: claims about the user, found by rules of grammar in English and Chinese, without a model.

A passage is read in four steps, each in files of its own: `testimony` masks what is not the speaker's own words,
`clauses` cuts sentences, `english` and `chinese` decide clause by clause what is stated, and here each statement
becomes a proposal with its offsets in the whole evidence revision. The same passage always gives the same proposals.
"""

from collections.abc import Iterator, Sequence

from blake3 import blake3

from affidavit.domain.proposals import ExtractorId, Passage, Proposal, Span
from affidavit.domain.questions import Asked, Question, Questions, Verdict
from affidavit.rebuild.extractors.rules import chinese, english
from affidavit.rebuild.extractors.rules.clauses import HAN, sentences
from affidavit.rebuild.extractors.rules.replies import judge
from affidavit.rebuild.extractors.rules.statement import Statement
from affidavit.rebuild.extractors.rules.testimony import testimony

__all__ = ["Rules"]

_ANSWERED = ("text", "kind", "span", "quote", "form", "entity", "attribute", "value", "polarity", "hedged")
"""The fields of a proposal that the rules fill: what else a proposal may hold makes them no other extractor."""
_SCHEMA = blake3("\n".join(_ANSWERED).encode()).hexdigest()


def _statements(text: str) -> Iterator[Statement]:
    """Reads every sentence in the language of its script."""
    for sentence in sentences(text):
        language = chinese if HAN.search(text, sentence.start, sentence.end) else english
        yield from language.read(text, sentence)


def _proposal(passage: Passage, statement: Statement) -> Proposal:
    """Places a statement in the whole revision."""
    span = Span(passage.chunk.start + statement.start, passage.chunk.start + statement.end)
    finding = statement.finding
    return Proposal(
        text=finding.text,
        kind=finding.kind,
        span=span,
        quote=passage.text[span.start : span.end],
        entity=finding.entity,
        attribute=finding.attribute,
        value=finding.value,
        polarity=finding.polarity,
        hedged=statement.hedged,
    )


class Rules(Questions):
    """The deterministic extractor: hears only the user, and only what the user says of themself.

    Of the other questions it answers what a plain yes or no says; to all else it has no answer.
    """

    answers: frozenset[Question] = frozenset({"judge reply"})

    identity = ExtractorId("rules", "1", _SCHEMA)

    def judge_reply(self, reply: str, surfaced: Sequence[Asked]) -> tuple[Verdict, ...] | None:
        """Returns the verdict of a plain yes or no on the one claim that was asked about, or None."""
        return judge(reply, surfaced)

    def extract(self, passage: Passage) -> tuple[Proposal, ...]:
        """Returns the claims that the user's own words in the chunk support, in the order of their spans."""
        if passage.role != "user":
            return ()
        found = [_proposal(passage, statement) for statement in _statements(testimony(passage))]
        return tuple(sorted(found, key=lambda proposal: (proposal.span.start, proposal.span.end)))
