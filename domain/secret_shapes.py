"""Secrets that their shape gives away: the tokens of the providers, and private-key blocks.

A shape is enough by itself, whatever stands around it, unless the value is a placeholder. Every pattern runs in linear
time: repeats are bounded or possessive, and a shape starts only where a word does. A rule runs only if one of its hints
is in the text.
"""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple


class Hit(NamedTuple):
    """Where a secret stands in the text that was scanned, and what kind it is."""

    start: int
    end: int
    kind: str


class Rule(NamedTuple):
    """A way to find secrets; `hints` are what a text must hold for it to be worth running, `folded` in lower case."""

    hints: tuple[str, ...]
    find: Callable[[str], Iterator[Hit]]
    folded: bool = True
    kind: str = ""


# --- placeholders -----------------------------------------------------------------------------------------------------

_PLACEHOLDER = re.compile(
    r"""^\$(?:[A-Z_][A-Z0-9_]*|[a-z_]+[A-Za-z_]*|\d|[{(]) | ^%(?:\w+%|[sd(]) | ^[{<\[][^\]>}]*[\]>}]*$ | ^\{\{ | ^@[a-z.]+$
    | \.\.\. | … | \*{3} | [•●·]{2} | x{4} | \#{4} | _{4} | \$\{ | \{\{ | \{\}
    | \{[a-z_][\w.]*[\[(}!:] | %[sd](?![A-Za-z0-9]) | <[a-z]
    | example | place[_-]?holder | redacted | change[_-]?(?:me|this|it)
    | (?<![a-z])(?:your|dummy|fake|sample|todo|insert|replace)(?![a-df-z]) | ^my[_-]?(?:api|secret|token|key|pass)""",
    re.IGNORECASE | re.VERBOSE,
)


def is_placeholder(value: str) -> bool:
    """Tells whether a value stands for a secret without being one."""
    distinct = len(set(value))
    return distinct == 1 or (distinct == 2 and len(value) > 5) or _PLACEHOLDER.search(value) is not None


# --- shapes of the providers ------------------------------------------------------------------------------------------

_W = r"A-Za-z0-9_\-"
_START = rf"(?:(?<![{_W}])|(?<=\\[nrt]))"
_END = rf"(?![{_W}])"


def _shape(kind: str, hints: str, pattern: str, *, group: int = 0) -> Rule:
    """Returns the rule of a provider's shape, of which `group` is the secret itself."""
    compiled = re.compile(_START + pattern, re.VERBOSE)

    def find(text: str) -> Iterator[Hit]:
        for match in compiled.finditer(text):
            if not is_placeholder(match.group(group)):
                yield Hit(*match.span(group), kind)

    return Rule(tuple(hints.split()), find, folded=False, kind=kind)


_MIXED = rf"(?=[{_W}.]{{0,64}}?[0-9])(?=[{_W}.]{{0,64}}?[A-Za-z])"
"""Looks ahead over the word: it holds a digit and a letter, so that it is no name made of words."""

SHAPES = (
    _shape(
        "aws secret key",
        "AKIA ASIA",
        r"(?:AKIA|ASIA)[A-Z0-9]{16}[\s,:;|/\"']{1,6}([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+])",
        group=1,
    ),
    _shape("aws access key id", "AKIA ASIA ABIA ACCA", rf"(?<![+/])(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{{16}}{_END}"),
    _shape("google api key", "AIza", rf"AIza[{_W}]{{35}}{_END}"),
    _shape(
        "google oauth token", "ya29. GOCSPX- 1//0", rf"(?:ya29\.[{_W}]{{20,}}+|GOCSPX-[{_W}]{{20,}}+|1//0[{_W}]{{30,}}+)"
    ),
    _shape("azure client secret", "Q~", r"[A-Za-z0-9_~.-]{3}[78]Q~[A-Za-z0-9_~.-]{31,34}"),
    _shape("github token", "ghp_ gho_ ghs_ ghu_ ghr_ github_pat_", r"(?:gh[pousr]_[A-Za-z0-9]{20,}+|github_pat_\w{22,}+)"),
    _shape(
        "gitlab token",
        "glpat- gldt- glrt- glcbt- glptt- glft- gloas-",
        rf"gl(?:pat|dt|rt|cbt|ptt|ft|oas)-{_MIXED}[{_W}.]{{18,200}}+",
    ),
    _shape("slack token", "xox xapp-", rf"(?:xox[abceprs](?:\.xox[a-z])?|xapp)-{_MIXED}[A-Za-z0-9-]{{10,}}+"),
    _shape("slack webhook", "hooks.slack.com", r"hooks\.slack\.com/(?:services|workflows|triggers)/([\w/]{20,}+)", group=1),
    _shape("discord webhook", "/api/webhooks/", rf"discord(?:app)?\.com/api/webhooks/(\d{{10,20}}/[{_W}]{{40,}}+)", group=1),
    _shape("anthropic api key", "sk-ant-", rf"sk-ant-{_MIXED}[{_W}]{{16,}}+"),
    _shape(
        "openai api key",
        "sk-",
        rf"sk-(?:(?:proj|svcacct|admin|or-v1|lf)-{_MIXED}[{_W}]{{16,}}+|{_MIXED}[A-Za-z0-9]{{20,}}+)",
    ),
    _shape("npm token", "npm_", rf"npm_{_MIXED}[A-Za-z0-9]{{30,}}+"),
    _shape("pypi token", "pypi-", rf"pypi-(?=[{_W}]*?[A-Z]){_MIXED}[{_W}]{{30,}}+"),
    _shape(
        "stripe key",
        "k_live_ k_test_ whsec_",
        rf"(?:[sr]k_(?:live|test)_{_MIXED}\w{{16,}}+|whsec_{_MIXED}[A-Za-z0-9+/]{{20,}}+=*)",
    ),
    _shape("twilio key", "SK", r"SK[0-9a-f]{32}(?![A-Za-z0-9])"),
    _shape("twilio key", "AC", r"AC[0-9a-f]{32}:([0-9a-f]{32})(?![A-Za-z0-9])", group=1),
    _shape("sendgrid key", "SG.", rf"SG\.[{_W}]{{16,64}}\.[{_W}]{{16,}}+"),
    _shape("telegram bot token", ":", rf"\d{{8,10}}:(?=[{_W}]*?[A-Z])(?=[{_W}]*?[a-z])(?=[{_W}]*?[0-9])[{_W}]{{35}}{_END}"),
    _shape("jwt", "eyJ", rf"eyJ[{_W}]{{8,}}+\.[{_W}]{{8,}}+\.[{_W}]{{8,}}+"),
    _shape("heroku key", "HRKU-", rf"HRKU-[{_W}]{{20,}}+"),
    _shape("digitalocean token", "_v1_", r"do[opr]_v1_[a-f0-9]{40,}+"),
    _shape("hugging face token", "hf_", rf"hf_{_MIXED}[A-Za-z0-9]{{30,}}+"),
    _shape(
        "provider key",
        "gsk_ xai- csk- pplx- r8_ dckr_ shp lin_api_ figd_ dapi glsa_ hvs. tskey- rubygems_ sntrys_ sbp_"
        " ATATT3 NRAK- AGE-SECRET-KEY- LTAI"
        " ntn_ PMAK- sq0 key-",
        rf"""(?:(?:gsk_|csk-|pplx-|xai-|r8_|dckr_pat_|shp(?:at|ca|pa|ss)_|lin_api_|figd_|glsa_|hvs\.|tskey-(?:auth|api)-|rubygems_
        |sntry[su]_|sbp_|ATATT3|NRAK-|ntn_|PMAK-|sq0(?:atp|csp)-|LTAI(?=[A-Za-z0-9]{{16,20}}(?![A-Za-z0-9])))
        {_MIXED}[{_W}]{{16,}}+|dapi[0-9a-f]{{32}}|key-[0-9a-f]{{32}}{_END}|AGE-SECRET-KEY-1[A-Z0-9]{{58}})""",
    ),
)

# --- private keys -----------------------------------------------------------------------------------------------------

_KEY_BEGIN = re.compile(r"-----BEGIN (?:[A-Z0-9]{2,10} ){0,3}PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-\d:")
_KEY_BODY = re.compile(
    r"(?:(?:\\+[nrt]|\d{1,6}(?:→|[ \t]?\|)|[\s\"'>|])*+(?:(?:Proc-Type|DEK-Info|Version|Comment|Encryption|Public-Lines"
    r"|Private-Lines|Private-MAC|Key-Derivation|Argon2-\w+)(?:: ?|-)[^\n\\]{0,200}"
    r"|[A-Za-z0-9+/]{16,}+={0,2}|[A-Za-z0-9+/]{1,15}={1,2}))*+"
)
_KEY_END = re.compile(r"[^-]{0,200}-----END (?:[A-Z0-9]{2,10} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_KEY_TO_END = re.compile(r"([^-]{16,16384}+)-----END (?:[A-Z0-9]{2,10} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_KEY_LINE = re.compile(r"[A-Za-z0-9+/]{16}")


def _private_keys(text: str) -> Iterator[Hit]:
    """Yields private-key blocks, first line to last; one that is cut off ends with its last line of key."""
    done = 0
    for begin in _KEY_BEGIN.finditer(text):
        if begin.start() < done:
            continue
        whole = _KEY_TO_END.match(text, begin.end())
        if whole is None:
            body = _KEY_BODY.match(text, begin.end())
            assert body is not None, "the pattern matches the empty text"
            end = _KEY_END.match(text, body.end()) if body.end() > begin.end() else None
            inside, done = body.group(), end.end() if end else body.end()
        else:
            inside, done = whole.group(1), whole.end()
        if any(not is_placeholder(line.group()) for line in _KEY_LINE.finditer(inside)):
            yield Hit(begin.start(), done, "private key")


RULES = (Rule(("private key", "putty-user-key"), _private_keys, kind="private key"), *SHAPES)
KINDS = frozenset(rule.kind for rule in RULES)
