"""Token counting: a port, and the estimate of the base install, which knows CJK.

A prompt's manifest names the counter, because budgets mean nothing without it.
"""

import re
from typing import Protocol

_CJK = r"\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_PIECES = re.compile(rf"[{_CJK}]|[^\W{_CJK}]{{1,4}}|[^\w\s]")


class TokenCounter(Protocol):
    """Counts the tokens of a text; `identity` is stable for a counting rule."""

    identity: str

    def count(self, text: str) -> int:
        """Returns the number of tokens, 0 for an empty text."""
        ...


class Estimate:
    """About one token for each CJK character, each mark, and each four letters of a word; errs on the high side."""

    identity = "estimate:1"

    def count(self, text: str) -> int:
        """Returns the estimated number of tokens."""
        return len(_PIECES.findall(text))
