"""English clauses put into the third person: "I don't eat meat" becomes "User doesn't eat meat."."""

import re

from affidavit.rebuild.extractors.rules.english_verbs import Predicate
from affidavit.rebuild.extractors.rules.lexicon import lexicon
from affidavit.rebuild.extractors.rules.lexicon_english import FILLERS

_PRONOUNS = {
    "i": "they",
    "i'm": "they're",
    "i've": "they've",
    "i'd": "they'd",
    "i'll": "they'll",
    "me": "them",
    "my": "their",
    "mine": "theirs",
    "myself": "themselves",
    "we": "they",
    "we're": "they're",
    "we've": "they've",
    "we'd": "they'd",
    "we'll": "they'll",
    "our": "their",
    "ours": "theirs",
    "ourselves": "themselves",
    "us": "them",
}
_FIRST_PERSON = re.compile(
    r"(?<![\w-])(?:[Ii]['’](?:m|ve|d|ll)|I|i(?= )|[Mm]e|[Mm]y|[Mm]ine|[Mm]yself|[Ww]e['’](?:re|ve|d|ll)|[Ww]e|[Oo]urs?|"
    r"[Oo]urselves|us)(?![\w'’-])",
)
_THEY_AM = re.compile(r"\bthey (am|was|is)\b")
_AGREED = {"am": "are", "was": "were", "is": "are"}

_SINGULAR = {"am": "is", "are": "is", "were": "was", "have": "has", "do": "does", "go": "goes", "'d": "would"}
_PLURAL = {"am": "are", "is": "are", "was": "were", "'d": "would"}
_SHORT_NEGATIVES = {"can": "can't", "will": "won't"}
_TAKES_NOT = lexicon("is are was were has have had do does did can will would could should might")
_INVARIABLE = lexicon("will can had was did has is would could should might may must")
_ADVERBIAL = lexicon(
    """
    still already always never now often usually sometimes only currently recently just rarely seldom hardly barely
    previously once generally typically normally mostly mainly temporarily no longer not almost nearly both regularly
    occasionally ever later then soon long
    """,
)
"""Adverbs that stay where they are while the verb beside them is made to agree."""


def others(text: str) -> str:
    """Replaces every first person in a stretch that follows the subject."""
    replaced = _FIRST_PERSON.sub(lambda found: _PRONOUNS[found.group().lower().replace("’", "'")], text)
    return _THEY_AM.sub(lambda found: f"they {_AGREED[found.group(1)]}", replaced)


def singular(verb: str) -> str:
    """Puts a present verb into the third person singular."""
    if verb in _SINGULAR:
        return _SINGULAR[verb]
    if verb.endswith(("s", "sh", "ch", "x", "z", "o")):
        return verb + "es"
    if verb.endswith("y") and verb[-2:-1] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + "s"


def subject(predicate: Predicate) -> str:
    """Names the subject in the third person."""
    if predicate.person == "joint":
        return f"User and {others(predicate.companion)}"
    return "User and others" if predicate.person == "we" else "User"


def _finite(predicate: Predicate, word: str) -> str:
    """Makes the first verb of the group agree with its subject."""
    if predicate.plural:
        return _PLURAL.get(word, word)
    if word in _INVARIABLE or (predicate.tense in ("past", "had to", "used to") and word != "were"):
        return word
    return singular(word)


def _lacks_have(group: set[str]) -> bool:
    """Tells whether the speaker dropped the auxiliary of "been" with the subject."""
    return "been" in group and group.isdisjoint({"have", "has", "had"})


def _as_written(predicate: Predicate, index: int) -> str:
    """A word of the group as the source spells it, unless it is half of a contraction."""
    word = predicate.words[index]
    written = predicate.text[word.start : word.end]
    if index == predicate.first:
        return word.low
    return written if written.isalpha() and written.lower() == word.low else word.low


def _group(predicate: Predicate) -> list[str]:
    """The verb group in the third person, without fillers."""
    places = range(predicate.first, predicate.at + 1)
    pieces: list[str] = []
    finite = True
    if _lacks_have({predicate.words[index].low for index in places}):
        pieces.append("have" if predicate.plural else "has")
        finite = False
    for index in places:
        low = predicate.words[index].low
        if low == "not" and pieces and pieces[-1] in _TAKES_NOT:
            pieces[-1] = _SHORT_NEGATIVES.get(pieces[-1], pieces[-1] + "n't")
        elif low in FILLERS:
            continue
        elif finite and low not in _ADVERBIAL:
            pieces.append(_finite(predicate, low))
            finite = False
        else:
            pieces.append(_as_written(predicate, index))
    return pieces


def sentence(text: str) -> str:
    """Closes a sentence: one space between words, no trailing punctuation but the full stop."""
    closed = " ".join(text.split()).replace(" ,", ",").rstrip(" ,.;:-–—!?")
    return closed[:1].upper() + closed[1:] + "."


def third_person(predicate: Predicate) -> str:
    """Rewrites the clause as one sentence about the user."""
    rest = predicate.text[predicate.words[predicate.at].end : predicate.end]
    if predicate.verb in ("have", "has"):
        rest = rest.removeprefix(" got")
    pieces = [subject(predicate), *_group(predicate), others(rest)]
    return sentence(" ".join(pieces))
