"""How the lexicons of this package are written down: as text, one word after another."""


def lexicon(words: str) -> frozenset[str]:
    """Returns the words of a text as a set."""
    return frozenset(words.split())
