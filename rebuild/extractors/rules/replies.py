"""Replies: what a whole message says of the one claim that the user was asked about, in English and Chinese.

Only a message that is nothing but a yes or a no is understood, and only where one claim was asked about: anything longer may
mean something else. For all else there is no answer, and the user is asked again.
"""

from collections.abc import Sequence

from affidavit.domain.normalise import normalise
from affidavit.domain.questions import Asked, Verdict

_YES = frozenset(
    {
        *("yes", "yes it is", "yes that's right", "yes that is right", "yep", "yeah", "right", "that's right", "correct"),
        *("that is right", "that is correct", "that's correct", "exactly", "true", "that's true", "yes i do", "yes, i do"),
        *("yes, that's right", "yes, that is right", "yes, it is"),
        *("是", "是的", "对", "对的", "没错", "是啊", "对啊", "正确", "确实", "确实如此", "嗯对"),
    },
)
_NO = frozenset(
    {
        *("no", "nope", "wrong", "that's wrong", "that is wrong", "incorrect", "not true", "that's not true", "no i don't"),
        *("that is not true", "that's not right", "that is not right", "no that's wrong", "no, that's wrong", "no, i don't"),
        *("no, that is wrong", "no, that's not true", "no, that's not right"),
        *("不", "不是", "不是的", "不对", "错", "错了", "没有", "不是这样", "不是这样的"),
    },
)


def judge(reply: str, surfaced: Sequence[Asked]) -> tuple[Verdict, ...] | None:
    """Returns the verdict of a plain yes or no on the one claim that was asked about, or None."""
    said = normalise(reply).replace("’", "'").strip(" .!,。！，")
    if len(surfaced) != 1 or said not in _YES | _NO:
        return None
    quote = reply.strip()
    return (Verdict(claim=surfaced[0].id, verdict="confirms" if said in _YES else "denies", quote=quote),)
