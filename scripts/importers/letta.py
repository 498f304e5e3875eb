"""Letta agent files (`.af`): blocks of core memory become memories, a line each; messages are read as those of any file.

Two shapes are known: the present one, with lists of `agents` and `blocks`, and the one before it, a single agent with
`core_memory`. Ids there are made anew for each file, so a line is known by its label and words, and a message by its time
and role. An agent is a scope; a file of one agent goes where the caller says.
"""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from affidavit.domain.proposals import VoiceRole
from affidavit.scripts.importers import Line, Options
from affidavit.scripts.importers.lines import Bad, Head, Piece, call, messages, moment, table, word
from affidavit.scripts.importers.stores import (
    Gathering,
    Store,
    a_text,
    document,
    fields_of,
    filled,
    memory,
    named_by,
    parse,
    shown,
)

SOURCE = "letta"
_ENTITIES = {"human": "user", "persona": "agent"}
_SAYS_PLAINLY = "letta_v1_agent"
"""The type of agent whose text is what it says; the older ones speak by a tool, and their text is thinking."""

_SPEAK = "send_message"
_OTHERS = ("groups", "files", "sources", "tools", "mcp_servers", "skills")
_BULLET = re.compile(r"^(?:[-*•+]|\d{1,3}[.)])\s+")
_HEADING = re.compile(r"^(?:#+\s.*|[-=_*\s]{3,}|[^:]{1,80}:|<[^<>]*>|\[[^\[\]]*\])$")
_EMPTY = re.compile(r"^(?:[^:]{1,80}:\s*)?(?:\?|\[[^\[\]]*\]|(?i:unknown|none|n/a))\.?$")


def is_letta(keys: set[str], start: bytes) -> bool:
    """Tells whether a document with these keys is an agent file, as far as its start shows."""
    present = "agents" in keys and ("blocks" in keys or b'"agent_type"' in start)
    return present or {"core_memory", "agent_type"} <= keys


def read(path: Path, options: Options) -> Iterator[Store]:
    """Yields one store for each agent of the file. Raises BadInput if the file cannot be read."""
    whole = document(path)
    old = "core_memory" in whole
    agents = [whole] if old else [one for one in _list(whole, "agents") if isinstance(one, dict)]
    blocks = {word(one, "id"): (number, one) for number, one in enumerate(_list(whole, "blocks")) if isinstance(one, dict)}
    names = Counter(word(agent, "name") for agent in agents)
    for number, agent in enumerate(agents):
        found = Gathering()
        if old:
            own = [(f"core_memory[{index}]", block) for index, block in enumerate(_list(agent, "core_memory"))]
        else:
            own = [(f"blocks[{blocks[one][0]}]", blocks[one][1]) for one in _ids(agent) if one in blocks]
            own += [(f"agents[{number}].memory_blocks[{index}]", one) for index, one in enumerate(_inline(agent))]
        for place, block in own:
            _block(place, block, found)
        if number == 0:
            for name in _OTHERS:
                found.leave(name.replace("_", " "), len(_list(whole, name)))
        name = word(agent, "name")
        scope = (
            None if len(agents) == 1 else name if names[name] == 1 and name else f"{name} ({word(agent, 'id') or number})"
        )
        yield found.store(scope, _messages(agent, options))
    if not agents:
        yield Gathering().store()


def _ids(agent: dict[str, Any]) -> list[str]:
    return [one for one in _list(agent, "block_ids") if isinstance(one, str)]


def _inline(agent: dict[str, Any]) -> list[Any]:
    return _list(agent, "memory_blocks")


def _list(fields: dict[str, Any], name: str) -> list[Any]:
    value = fields.get(name)
    return value if isinstance(value, list) else []


# Blocks


def _block(place: str, block: Any, found: Gathering) -> None:
    try:
        label, value = filled(fields_of(block), "label"), a_text(block, "value")
    except Bad as bad:
        found.skip(place, bad)
        return
    for number, line in enumerate(value.splitlines(), 1):
        said = _BULLET.sub("", line.strip()).strip()
        if not said:
            continue
        if _EMPTY.match(said):
            found.leave("lines that wait to be filled in")
        elif _HEADING.match(said):
            found.leave("headings")
        else:
            _line(f"{place}.value:{number}", label, said, found)


def _line(place: str, label: str, said: str, found: Gathering) -> None:
    entity = _ENTITIES.get(label, label)
    try:
        key = f"block/{label}/{named_by(said)}"
        found.admit(memory(key, said, place, form="persona" if label == "persona" else "fact", entity=entity))
    except Bad as bad:
        found.skip(place, bad)


# Messages


def _messages(agent: dict[str, Any], options: Options) -> Iterator[Line]:
    seen: Counter[str] = Counter()
    plain = word(agent, "agent_type") == _SAYS_PLAINLY
    for number, message in enumerate(_list(agent, "messages"), 1):
        try:
            if fields_of(message).get("role") == "system" and number == 1:
                yield Line(number, noise="system prompt")
                continue
            pieces = list(_pieces(message, plain=plain))
            at, assumed = moment(message.get("created_at"), options.zone, "created_at")
            name = f"{word(message, 'created_at')}/{word(message, 'role')}"
            seen[name] += 1
            name = name if seen[name] == 1 else f"{name}/{seen[name]}"
        except Bad as bad:
            yield Line(number, reason=str(bad))
            continue
        yield from messages(number, Head(id=name, at=at, session="", assumed=assumed), pieces, options, SOURCE)


def _pieces(message: dict[str, Any], *, plain: bool) -> Iterator[Piece]:
    role = message.get("role")
    parts = list(_texts(message))
    if role == "user":
        for number, text in enumerate(parts):
            yield _said(text, _part(number, len(parts)))
    elif role == "assistant":
        yield from _assistant(message, parts, plain=plain)
    elif role == "tool":
        for number, text in enumerate(parts):
            yield Piece(role="tool", text=text, part=_part(number, len(parts)), speaker=word(message, "name"))
    elif role == "system":
        for number, text in enumerate(parts):
            yield Piece(role="system", text=text, part=_part(number, len(parts)))
    elif role == "summary":
        for number, text in enumerate(parts):
            yield Piece(role="system", text=text, part=_part(number, len(parts)), summary=True)
    elif role == "approval":
        yield Piece(noise="approvals")
    else:
        raise Bad(f'field "role" is {shown(role)}, which is not known')


def _assistant(message: dict[str, Any], parts: list[str], *, plain: bool) -> Iterator[Piece]:
    """Yields what an agent said and called. What an older one wrote beside its calls is thinking."""
    calls = [table(one, "function") for one in _list(message, "tool_calls") if isinstance(one, dict)]
    for number, text in enumerate(parts):
        if calls and not plain:
            yield Piece(noise="thinking")
        else:
            yield Piece(role="assistant", text=text, part=_part(number, len(parts)))
    for number, one in enumerate(calls):
        name, given = word(one, "name"), _arguments(one.get("arguments"))
        spoken = given.get("message") if name == _SPEAK and isinstance(given, dict) else None
        text = spoken if isinstance(spoken, str) else call(name, given)
        yield Piece(role="assistant", text=text, part=f"call/{number}")


def _arguments(given: Any) -> Any:
    if not isinstance(given, str):
        return given
    try:
        return parse(given.encode(errors="surrogatepass"))
    except (Bad, UnicodeError):
        return given


def _said(text: str, part: str) -> Piece:
    """Returns a user's message. Letta wraps it in JSON; what is wrapped as another event is the system's."""
    try:
        wrapped = parse(text.encode()) if text.lstrip().startswith("{") else {}
    except (Bad, UnicodeError):
        wrapped = {}
    kind, inner = wrapped.get("type"), wrapped.get("message")
    if kind == "user_message" and isinstance(inner, str):
        return Piece(role="user", text=inner, part=part, speaker=word(wrapped, "name"))
    role: VoiceRole = "system" if isinstance(kind, str) and "time" in wrapped else "user"
    return Piece(role=role, text=text, part=part, summary=_is_summary(wrapped))


def _is_summary(wrapped: dict[str, Any]) -> bool:
    return wrapped.get("type") == "system_alert" and "summary of the previous" in word(wrapped, "message")


def _texts(message: dict[str, Any]) -> Iterator[str]:
    """Yields a message's texts; in the shape before the present one a message has a `text` as well."""
    content = message.get("content")
    if content is None:
        content = message.get("text")
    for part in [content] if isinstance(content, str) else content if isinstance(content, list) else ():
        if isinstance(part, str):
            yield part
        elif isinstance(part, dict) and part.get("type") == "text" and isinstance(part.get("text"), str):
            yield part["text"]


def _part(number: int, of: int) -> str:
    return "" if of == 1 else str(number)
