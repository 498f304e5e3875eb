"""Secrets that a word or a place names: `password = ...`, 密码是..., a header, a cookie, a command, an address.

The name is not enough: the value must also look like a secret. Placeholders, code, paths and plain words are passed over,
and the looser a name and its value are joined, the more the value must show. Every pattern runs in linear time: repeats
are bounded or possessive. A rule runs only if one of its hints is in the text.
"""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from affidavit.domain.secret_shapes import Hit, Rule, is_placeholder

# --- values that are no secret ----------------------------------------------------------------------------------------

_CODE = re.compile(
    r"""[A-Za-z_$][\w$]*(?:(?:\.|->|::|\?\.)[\w$]+)*[\[(]
    | (?:self|this|os|process|req|request|config|cfg|env|args|ctx|context|settings|options|opts|props|state|user|data
        |params|response|res|event|secrets|vars|var|local|module|github|inputs|steps|input|client|auth|session|result)
        (?:\.|->|::|\?\.)
    | .*(?:=>|\(\?[:=!<P-])""",
    re.VERBOSE,
)
_NO_SECRET = re.compile(
    r"""(?:sha|md|utf|base|u?int|float|aes|rsa|dsa|[hrepa]s|ed|oauth|argon|pbkdf|x|h|v|ipv|http|auth|char|varchar|ascii
        |win|web|curve|crc|blake|k|s|b|ec|i|u|f|step|line|page|part|test|item|field|level|type|phase|log4j)-?\d{1,4}\w{0,3}
    | \d+-?(?:bit|char|digit|day|hour|minute|second|year|month|week|step|factor|word|letter|byte|time|star)\w*(?:-\w+)*
    | \d{1,6}(?:st|nd|rd|th|x|k|m|ms|s|kb|mb|px|%|pm|am) | [2m]fa\W?\w* | 1password
    | [\w.-]*\w\d?\.(?:py|js|ts|tsx|md|txt|go|rs|json|ya?ml|toml
        |pem|key|crt|pub|env|ini|cfg|conf|html?|css|sh|java|rb|php|lock|example)(?::\d+)*
    | (?-i:[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+) | [\d.,:/%_+-]*\D[\d.,:/%_+-]*
    | [\w.+-]+@[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|de|cn|dev|co|uk|edu|gov|fr|jp|pt|es|it|eu|app|ai)""",
    re.IGNORECASE | re.VERBOSE,
)
_CONSTANT = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
_PATH = re.compile(r"(?:[.~]{0,2}/|[A-Za-z]:[\\/])[^/\\]+[/\\].*|\.{0,2}/[\w.-]*|.*://.*")
_RANDOM = re.compile(r"(?=[^A-Z]*[A-Z])(?=[^a-z]*[a-z])(?=[^0-9]*[0-9])[A-Za-z0-9+/]{32,}={0,2}")
_VARIABLE = re.compile(
    r"(?i:[A-Za-z_-]*(?:passw(?:or)?d|passphrase|token|secret|key|pwd|pass)[A-Za-z_-]*\d?)"
    r"|[A-Za-z]\w*(?:Key|Token|Secret|Password)(?:[A-Z][a-z]+)*s?\d?"
)
_WORDED = re.compile(r"[A-Za-z]+(?:[_.-](?:[A-Za-z]+|\d{1,2}))*")
_NO_VALUES = """
    password passwd passphrase pass secret token key keys tokens string str text bytes int number boolean bool object
    any none null nil undefined true false yes required optional empty blank default hidden masked unknown invalid
    incorrect wrong correct valid expired missing public private admin administrator root user username guest login
    postgres mysql test testing basic bearer digest prompt stdin input value values var variable field label name email
    file path generated random encrypted hashed plaintext plain disabled enabled current confirm confirmation reset
    forgot forgotten changed change create update delete important sensitive stored saved visible secure strong weak
    short long readonly write read bcrypt scrypt argon oauth saml ldap kerberos never always auto manual system session
    http https charfield textfield securestring function async await import return const export uuid
"""
_WORDS = frozenset(_NO_VALUES.split())
_LABEL = re.compile(r"[A-Z][a-zß-ÿ]+|[^\x00-\x7f]+")
_INNER_SYMBOL = re.compile(r"[^\W\d_][^\s]*[!@#$%^&+=?~|][^\s]*\w")
_JUMBLED = re.compile(r"(?=[^A-Z]*[A-Z])(?=[^a-z]*[a-z])(?=[^0-9]*[0-9])(?!.*[a-z]{6})(?!.*[(){}\[\]])")
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
_CJK = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uff00-\uffef]")


def is_mixed(value: str) -> bool:
    """Tells whether a value holds a letter and a digit."""
    return any(one.isalpha() for one in value) and any(one.isdigit() for one in value)


# --- credentials in addresses, headers and commands -------------------------------------------------------------------

_URL = re.compile(r"(?:([a-z][a-z0-9+]{1,20}))?://[^\s/@:\"'<>`]{0,100}:([^\s/\"'<>`?#]{1,200})@(?=[\w\[$])", re.IGNORECASE)
_DATABASES = (
    "postgres",
    "mysql",
    "mariadb",
    "mongodb",
    "redis",
    "amqp",
    "mssql",
    "sqlserver",
    "clickhouse",
    "oracle",
    "cockroach",
)
_DEFAULTS = frozenset(("pw", "pwd", "api", "mysecretpassword", *_WORDS))


def _addresses(text: str) -> Iterator[Hit]:
    for match in _URL.finditer(text):
        value = match.group(2)
        if value.lower() not in _DEFAULTS and not is_placeholder(value) and not value.isdigit() | (len(value) < 3):
            database = (match.group(1) or "").lower().startswith(_DATABASES)
            yield Hit(*match.span(2), "database password" if database else "url password")
    yield from _values(_IN_ADDRESS, "url password")(text)


_IN_ADDRESS = re.compile(r"://(?=[A-Za-z0-9_-]*?[0-9])(?=[A-Za-z0-9_-]*?[A-Za-z])([A-Za-z0-9_-]{20,}+)@(?=\w)")
_SIGNATURE = re.compile(r"(?:[?&]|\\u0026)(?:sig|X-Amz-Signature|X-Goog-Signature)=([A-Za-z0-9%+/=_-]{30,}+)")
_AZURE = re.compile(r"(?:AccountKey|SharedAccessKey)\s?=\s?([A-Za-z0-9+/]{30,}+={0,2})", re.IGNORECASE)
_AUTHORIZATION = re.compile(
    r"authorization[\"'\]\\]{0,4}[ \t]{0,3}[:=,][ \t]{0,3}[\"'`\\]{0,4}"
    r"(?!AWS4-)(?:(Bearer|Basic|Token|ApiKey|Api-Key|Bot|Negotiate|OAuth|Key|Digest)[ \t]{1,3})?"
    r"(?:token=)?([^\s\"'`\\,;<>()]{6,}+)",
    re.IGNORECASE,
)
_BEARER = re.compile(r"\bbearer[ \t]{1,3}([A-Za-z0-9._~+/=-]{12,}+)", re.IGNORECASE)
_COOKIE = re.compile(
    r"""(?:\bcurl\b[^\n]{0,300}?\s-b[ \t]{1,3}
    | (?:\bcookie|--cookie|[A-Z]cookie)["'\]\\*]{0,4}
        (?:[ \t]{0,3}(?:[:=：]|是)[ \t*]{0,4}|(?<=--cookie)[ \t]|[ \t]is[ \t])[ \t]?\[?)
    ["'`\\]{0,4}(?=[\w.-]{1,64}=)""",
    re.IGNORECASE | re.VERBOSE,
)
_PAIR = re.compile(r"([\w.-]{1,64})=(\"[^\"\s]*+\"|[^\s;\"'`,\\\u2e80-\u9fff\uff00-\uffef]*+)(?:;[ \t]{0,3})?")
_ATTRIBUTES = frozenset(["path", "domain", "expires", "max-age", "samesite", "priority", "version", "comment"])
_SESSIONS = re.compile(
    r"\b(?:PHPSESSID|JSESSIONID|ASP\.NET_SessionId|connect\.sid)=([^\s;\"'`,&\\\u2e80-\u9fff\uff00-\uffef]{8,}+)"
)
_COMMANDS = re.compile(
    r"(?:\bmysql\w{0,10}\b[^\n]{0,200}?\s-p(?=[^\s])|\bsshpass\s+-p\s{0,3}|\bredis-cli\b[^\n]{0,200}?\s-a\s{1,3}"
    r"|\bdocker login\b[^\n]{0,200}?\s-p\s{1,3}"
    r"|\b(?:curl|wget|https?)\b[^\n]{0,300}?\s(?:-u|--user)[ =]?[\"']?[^\s:\"'/]{1,80}:)"
    r"[\"']?([^\s\"']{4,200})"
)


def _headers(text: str) -> Iterator[Hit]:
    for match in _AUTHORIZATION.finditer(text):
        value = match.group(2)
        long_enough = len(value) >= 8 if match.group(1) else len(value) >= 12 and is_mixed(value)
        if long_enough and _may_be_random(value):
            yield Hit(*match.span(2), "authorization")
    for match in _BEARER.finditer(text):
        if is_mixed(match.group(1)) and _may_be_random(match.group(1)):
            yield Hit(*match.span(1), "authorization")


def _may_be_random(value: str) -> bool:
    """Tells whether a header's value is neither placeholder nor code nor a word."""
    if is_placeholder(value) or _CODE.match(value) or _VARIABLE.fullmatch(value):
        return False
    return (
        is_mixed(value)
        or (len(value) > 11 and not value.islower() and _WORDED.fullmatch(value) is None)
        or value.endswith("=")
    )


def _cookies(text: str) -> Iterator[Hit]:
    for begin in _COOKIE.finditer(text):
        at = begin.end()
        while (pair := _PAIR.match(text, at)) is not None:
            name, value = pair.groups()
            if name.lower() not in _ATTRIBUTES and len(value) > 3 and not is_placeholder(value) and not _CODE.match(value):
                yield Hit(*pair.span(2), "cookie")
            at = pair.end()
            if text[at - 1] not in "; \t":
                break
    yield from _values(_SESSIONS, "cookie")(text)


def _values(pattern: re.Pattern[str], kind: str) -> Callable[[str], Iterator[Hit]]:
    def find(text: str) -> Iterator[Hit]:
        for match in pattern.finditer(text):
            if not is_placeholder(match.group(1)) and match.group(1).lower() not in _WORDS:
                yield Hit(*match.span(1), kind)

    return find


# --- values named by a word -------------------------------------------------------------------------------------------

_NAMED = re.compile(
    r"""(?=[pkstcaпパ비])(?P<name>
        (?P<password>pass(?:word|wort|wd|wrd|phrase|code)s?|pwd|пароль|パスワード|비밀번호|contraseña|kennwort
            |(?<![A-Za-z])(?:pass|pw|pin(?:[ ]code)?)(?![A-Za-z])|(?-i:(?<=[a-z])Pass))
      | (?P<secret>secret(?:[ _-]?access)?(?:[ _-]?key)?(?:[ _-]?base)?)
      | (?P<key>key(?:_id)?|(?<=[_"'])auth|credentials)
      | (?P<token>token)
    )(?:[_-]?(?:\d{1,2}|prod\w{0,6}|dev|test|live|staging|value|raw|plain))?(?![A-Za-z0-9_-])[\\"'`\]*]{0,6}
    (?:
        (?P<tag>>(?=[^<\n]{1,500}</))
      | (?P<pair>,?\s{0,40}["']?value["']?\s{0,3}[:=]\s{0,3})
      | (?P<assign>[ \t]{0,8}(?::[ \t]?[A-Za-z_][\w.]{0,30}(?:[<\[][\w.<>\[,\] ]{1,30}[>\]])?(?:[ ]?[|&][ ]?[\w.]{1,20}){0,3}
            [?]?(?:[ \t](?==[ \t])|(?==["'])))?
            (?:=>|:=|={1,3}|＝)[ \t]{0,8})
      | (?P<below>:[ \t]{0,10}\r?\n[ \t]{0,20}(?=\S{4,100}[ \t]*(?:\r?\n|\Z)))
      | (?P<colon>[ \t]{0,20}(?:[ \t]for[ \t]{1,3}\S{1,40}|\([^()\n]{1,40}\))?
            (?::|：|->|→|是|为|為|改成|改为|设为)[*_]{0,3}[ \t]{0,40})
      | (?P<call>\(\s{0,3}(?=["'`]))
      | (?P<bar>[ \t]{1,40}[|–—-][ \t]{1,40})
      | (?P<prose>(?:\s{1,3}(?:for|of|on|to|at|in|from|that|which|you|we|i)(?:\s{1,3}[\w.'’@/-]{1,40}){1,5}?)?
            (?:\s{1,3}(?:is|was|will\ be|to|became)\b|['’]s\b):?
            \s{1,3}(?:(?:now|still|just|currently|actually|simply|set\ to|going\ to\ be)\s{1,3})?)
      | (?P<space>[ \t]{1,4}(?=\S))
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_CHINESE = re.compile(
    r"""(?:(?P<password>密码|密碼|口令|通行码|通行碼|(?i:pin)码)|(?P<key>密钥|密鑰|秘钥|秘鑰|私钥|私鑰|授权码|授權碼)|(?P<token>令牌))
    (?:[（(][^（）()\n]{1,20}[)）](?=\s?[:：=＝是为為]))?
    (?P<joined>(?:[\u4e00-\u9fffA-Za-z_ ]{0,8}?(?:是|为|為|成|到|叫))?了?\s{0,2}[:：=＝]?)\s{0,3}""",
    re.VERBOSE,
)
_FLAG = re.compile(r"(?:^|[\s\"'`\[(,])--?[\w-]*$")
_BEFORE = re.compile(
    r"(?:page|next|sync|cancel(?:lation)?|continuation|design|colou?r|theme|stop|eos|bos|pad|unk|mask|css|start|end|public|cache"
    r"|primary|foreign|sort|partition|idempotency|routing|row|object|group)[ _-]?\Z",
    re.IGNORECASE,
)
_QUALIFIED = re.compile(
    r"(?:(api)|access|private|encrypt(?:ion)?|signing|auth|master|account|consumer|app|role|webhook|jwt|client|deploy|ssh"
    r"|subscription|service|storage|licen[sc]e)[ _-]?\Z",
    re.IGNORECASE,
)
_AWS = re.compile(r"aws[\w-]{0,20}\Z", re.IGNORECASE)
_OPEN = re.compile(r"(?:[fbruFBRU]{1,2}(?=[\"']))?(\\{1,3}[\"']|[\"'`“‘「『【（])")
_CLOSED = {
    '"': re.compile(r'((?:[^"\\\n]|\\.){0,4096}+)"'),
    "'": re.compile(r"((?:[^'\\\n]|\\.){0,4096}+)'"),
    "`": re.compile(r"([^`\n]{0,4096}+)`"),
    "“": re.compile(r"([^“”\n]{0,4096}+)”"),
    "‘": re.compile(r"([^‘’\n]{0,4096}+)’"),
    "「": re.compile(r"([^「」\n]{0,4096}+)」"),
    "『": re.compile(r"([^『』\n]{0,4096}+)』"),
    "【": re.compile(r"([^【】\n]{0,4096}+)】"),
    "（": re.compile(r"([^（）\n]{0,4096}+)）"),
    "\\": re.compile(r"([^\"'\\\n]{0,4096}+)\\{1,3}[\"']"),
}
_APP_PASSWORD = re.compile(r"(?:[a-z]{4} ){3}[a-z]{4}(?![ \w])")
_PLAIN = re.compile(r"(?:[^\s\"'`“”‘’\u2e80-\u9fff\uac00-\ud7af\uff00-\uffef]|(?<=\w)['’](?=\w)){1,256}+")
_REST = re.compile(r"[^\s\"'`“”‘’\u2e80-\u9fff\uac00-\ud7af\uff00-\uffef&;,]*+")
_CUT = re.compile(r"[&;,](?=[\w.\"-]{1,60}[=:])|;(?=[A-Z][A-Za-z]+\Z)|</|\\+[nrt\"']|,[\[{]")
_LAST_BREAK = re.compile(r"(?:\\+[nr])++\Z")
_READ = 256
_ENOUGH = 64
"""How much of an unquoted value is read at first, and how much of any value is judged."""


class _Named(NamedTuple):
    """A value with the word that names it: the word's class, how the two are joined, and what comes after."""

    value: str
    word: str
    form: str
    quoted: bool
    after: str


def _named(text: str) -> Iterator[Hit]:
    done = 0
    for match in _NAMED.finditer(text):
        if match.end() < done:
            continue
        before = text[max(0, match.start() - 40) : match.start()]
        form, (word, before) = match.lastgroup or "", _word(match, before)
        if not word or not _fits(match, form, before[-1:]):
            continue
        if form == "space" and _FLAG.search(before):
            form = "flag"
        elif form == "assign" and match["name"].isupper() and match["assign"] == "=":
            form = "variable"
        for hit in _value(text, match.end(), word, form):
            done = hit.end
            yield hit


def _word(match: re.Match[str], before: str) -> tuple[str, str]:
    """Returns what class of word names the value, none if it names another thing, and what stands before the whole name."""
    word = next(name for name in ("password", "secret", "token", "key") if match[name])
    if word == "secret":
        return ("aws secret key" if "ey" in match["name"].lower()[6:] and _AWS.search(before) else word), before
    if word == "token":
        return ("" if _BEFORE.search(before) else word), before
    if word != "key" or match["name"][0] not in "kK":
        return word, before
    if qualified := _QUALIFIED.search(before):
        return ("api key" if qualified.group(1) else word), before[: qualified.start()]
    apart = not before[-1:].isalpha() or (match["name"][0] == "K" and before[-1].islower())
    return ("bare" if apart and not _BEFORE.search(before) else ""), before


def _fits(match: re.Match[str], form: str, before: str) -> bool:
    """Tells whether a name may be joined to its value in this form: `pass`, `pw` and `pin` are words of other uses too."""
    name = match["name"].lower()
    if form in {"space", "bar", "call"}:
        return name != "pass" and not name.startswith("pin") and (form == "call" or not before.isalnum())
    if name.startswith("pin"):
        return form == "prose" or (form == "colon" and match["name"].startswith("PIN"))
    return not (form == "colon" and before == ":") and not (name == "pass" and form == "prose")


def _chinese(text: str) -> Iterator[Hit]:
    for match in _CHINESE.finditer(text):
        word = next(name for name in ("password", "key", "token") if match[name])
        yield from _value(text, match.end(), word, "chinese" if match["joined"].strip() else "beside")


def _value(text: str, at: int, word: str, form: str) -> Iterator[Hit]:
    """Yields the value that begins here, if it looks like a secret."""
    words = _APP_PASSWORD.match(text, at) if word == "password" and form in {"colon", "assign"} else None
    if words:
        yield Hit(*words.span(), word)
        return
    opened = _OPEN.match(text, at)
    closed = _CLOSED[opened.group(1)[0]].match(text, opened.end()) if opened else None
    if closed:
        start = closed.start(1)
        end = start + len(_LAST_BREAK.sub("", closed.group(1)))
    else:
        start = opened.end() if opened else at
        plain = _PLAIN.match(text, start)
        if plain is None or form == "call":
            return
        end = start + len(_trimmed(plain.group(), prose=form in {"prose", "space", "chinese", "beside", "colon", "bar"}))
    named = _Named(text[start : min(end, start + _ENOUGH)], word, form, closed is not None, text[end : end + 2])
    if _is_secret(named):
        if closed is None and end - start == _READ:
            rest = _REST.match(text, end)
            end = rest.end() if rest else end
        yield Hit(start, end, "key" if word == "bare" else word)


def _trimmed(value: str, *, prose: bool) -> str:
    """Returns an unquoted value without what follows it: the next assignment, brackets that close, the sentence's end."""
    if cut := _CUT.search(value):
        value = value[: cut.start()]
    ends = ".,;:?" if prose else ",;"
    while value and (
        value[-1] in ends or (value[-1] in ")]}" and value.count(value[-1]) > value.count("([{"[")]}".index(value[-1])]))
    ):
        value = value[:-1]
    return value.rstrip("*|") if prose else value


def _is_secret(named: _Named) -> bool:
    value = named.value
    if len(value) < 4 or is_placeholder(value) or value.lower() in _WORDS or _is_something_else(named):
        return False
    return _is_password(named) if named.word == "password" else _is_key(named)


def _is_something_else(named: _Named) -> bool:
    """Tells whether a value is a path, a name, a number with its unit, an address or code."""
    value = named.value
    if _PATH.fullmatch(value) and not _RANDOM.fullmatch(value):
        return True
    if _NO_SECRET.fullmatch(value) and not value.isdigit() and (not named.quoted or _CONSTANT.fullmatch(value) is not None):
        return True
    if named.form == "variable":
        return _CODE.match(value) is not None and value.endswith(")")
    return not named.quoted and (_CODE.match(value) is not None or _VARIABLE.fullmatch(value) is not None)


_SURE = frozenset({"assign", "colon", "variable", "flag"})
_LOOSE = frozenset({"call", "space", "bar", "below", "beside"})
"""How a word and a value stand together without one naming the other for sure."""


def _is_password(named: _Named) -> bool:
    value, form = named.value, named.form
    if any(one.isspace() for one in value):
        return _is_passphrase(value)
    if _CJK.search(value) or value.isdigit():
        alone = not named.after.strip()[:1].isalnum() and (form not in _LOOSE or len(value) > 5)
        return value.isascii() and (named.quoted or form in _SURE or alone)
    if len(value) > 4 and (is_mixed(value) or _INNER_SYMBOL.search(value)):
        return form not in _LOOSE or len(value) > 5
    return not _LABEL.fullmatch(value) and _is_word(named)


def _is_word(named: _Named) -> bool:
    """Tells whether a value of letters alone is a password: where it is quoted, or where nothing else could stand."""
    value, form = named.value, named.form
    if named.quoted:
        return form not in _LOOSE and len(value) > 5 and _VARIABLE.fullmatch(value) is None
    if form == "chinese":
        return value.isascii() and value.isalpha() and len(value) > 5 and not named.after[:1].isalnum()
    return form == "variable"


def _is_passphrase(value: str) -> bool:
    """Tells whether quoted words are a passphrase: four words and more in lower case, or words with digits; no sentence."""
    words = value.split()
    if any(
        word.lower() in {"the", "your", "is", "a", "an", "to", "of", "and", "or", "for", "must", "please"} for word in words
    ):
        return False
    return len(words) < 9 and (
        (len(words) > 3 and value.replace(" ", "").isalpha() and value.islower()) or any(one.isdigit() for one in value)
    )


_LEAST = {"prose": 12, "space": 16, "bar": 16, "below": 16, "beside": 16, "call": 16, "flag": 8, "chinese": 8}


def _is_key(named: _Named) -> bool:
    value = named.value
    if any(one.isspace() for one in value) or not value.isascii():
        return False
    if named.word == "bare":
        return (
            len(value) > 19
            and _JUMBLED.match(value) is not None
            and not (_DOTTED.fullmatch(value) or _VARIABLE.fullmatch(value))
        )
    if not named.quoted and named.form != "variable" and _DOTTED.fullmatch(value):
        return False
    if len(value) < _LEAST.get(named.form, 8):
        return False
    if is_mixed(value):
        return _WORDED.fullmatch(value) is None or re.search(r"[0-9][A-Za-z]*[0-9]|\d[A-Za-z]+", value) is not None
    jumbled = (
        len(value) > 19 and re.search(r"[a-z]{5}|[A-Z]{7}", value) is None and not value.islower() and not value.isdigit()
    )
    return (jumbled and any(map(str.isalpha, value))) or (named.form == "variable" and len(value) > 15 and value.isalpha())


_REVERSED = re.compile(
    r"(?<![^\s\u2e80-\u9fff\uff00-\uffef\"'`“(])([^\s\"'`“”(\u2e80-\u9fff\uff00-\uffef]{5,64}+)[\"'`”]?"
    r"[ \t]{1,3}(?:is|was|as)[ \t]{1,3}"
    r"(?:my|the|our|his|her)[ \t]{1,3}(?:[\w-]{1,20}[ \t]{1,3}){0,2}?"
    r"(pass(?:word|phrase|code)|(?:api[ _-]?key|token))\b",
    re.IGNORECASE,
)
_REVERSED_CHINESE = re.compile(r"(?<![!-~])([!-~]{5,64}+)[ \t]?是[\u4e00-\u9fffA-Za-z]{0,10}?(?:密码|密碼|口令)")


def _reversed(text: str) -> Iterator[Hit]:
    """Yields what stands before the word: "hunter22 is my password"."""
    for pattern in (_REVERSED, _REVERSED_CHINESE):
        for match in pattern.finditer(text):
            value = match.group(1)
            word = "password" if pattern is _REVERSED_CHINESE or match.group(2).lower().startswith("pass") else "token"
            if (is_mixed(value) or _INNER_SYMBOL.search(value)) and _is_secret(_Named(value, word, "prose", False, "")):  # noqa: FBT003
                yield Hit(*match.span(1), word)


RULES = (
    Rule(("accountkey", "sharedaccesskey"), _values(_AZURE, "azure key")),
    Rule(("sig=", "x-amz-signature", "x-goog-signature"), _values(_SIGNATURE, "signature")),
    Rule(("://",), _addresses),
    Rule(("authorization", "bearer"), _headers),
    Rule(("cookie", " -b", "sessid", "jsessionid", "sessionid=", "connect.sid"), _cookies),
    Rule((" -p", " -a", " -u", " --user"), _values(_COMMANDS, "password")),
    Rule(("password", "passphrase", "passcode", "api", "token", "密码", "密碼", "口令"), _reversed),
    Rule(
        (
            "pass",
            "pwd",
            "pw",
            "pin",
            "secret",
            "token",
            "key",
            "auth",
            "credential",
            "kennwort",
            "contraseña",
            "пароль",
            "パスワード",
            "비밀번호",
        ),
        _named,
    ),
    Rule(("密码", "密碼", "口令", "通行", "钥", "鑰", "令牌", "授权码", "授權碼", "pin码"), _chinese),
)

KINDS = frozenset(
    (
        "azure key",
        "signature",
        "database password",
        "url password",
        "authorization",
        "cookie",
        "password",
        "aws secret key",
        "secret",
        "api key",
        "key",
        "token",
    )
)
