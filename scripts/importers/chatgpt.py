"""ChatGPT's data export, `conversations.json`: a list of conversations, each a tree of nodes in `mapping`.

The conversation's id is the session, the message's id the id. The nodes between `current_node` and the root are the current
branch; the others, answers made anew and prompts typed anew, are kept and marked. What a person did not type in this
conversation, such as custom instructions and hidden messages, is the system's.

The file is cut into conversations without being decoded as a whole; where it is cut off or spoilt, what can be read of it is
read.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any, cast

import msgspec

from affidavit.domain.proposals import VoiceRole
from affidavit.domain.roles import VOICES
from affidavit.scripts.importers import Line, Options, Part
from affidavit.scripts.importers.lines import (
    Bad,
    Head,
    Piece,
    call,
    decode,
    inside,
    messages,
    noise_name,
    seconds,
    table,
    word,
)

SOURCE = "chatgpt"
_BOM = b"\xef\xbb\xbf"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\Z)|[\[\]{}]', re.DOTALL)
_THOUGHTS = frozenset({"thoughts", "reasoning_recap"})
_HIDDEN = ("is_visually_hidden_from_conversation", "is_user_system_message", "is_contextual_answers_system_message")
_CONTEXT = ("user_profile", "user_instructions", "model_set_context")


def read(path: Path, options: Options) -> Iterator[Part]:
    """Yields the file's one part."""
    yield Part(None, _lines(path, options))


def _lines(path: Path, options: Options) -> Iterator[Line]:
    numbers = count(1)
    for place, (data, reason) in enumerate(_cut(path.read_bytes().removeprefix(_BOM)), 1):
        if reason:
            yield Line(next(numbers), reason=reason)
            continue
        try:
            yield from _conversation(decode(data, errors="surrogateescape"), numbers, options)
        except Bad as bad:
            yield Line(next(numbers), reason=f"conversation {place}: {bad}")


def _cut(data: bytes) -> Iterator[tuple[bytes, str]]:
    """Yields each conversation's bytes, or the reason why there is none."""
    start = data[:4096].lstrip()[:1]
    if data.startswith(_UTF16):
        yield b"", "the file is in UTF-16, UTF-8 is required"
    elif start == b"{":
        yield data, ""
    elif start == b"[":
        try:
            items = msgspec.json.decode(data, type=list[msgspec.Raw])
        except (msgspec.DecodeError, RecursionError):
            yield from _salvage(data)
        else:
            yield from ((bytes(item), "") for item in items)
    elif start:
        yield b"", "a list of conversations is required"


def _salvage(data: bytes) -> Iterator[tuple[bytes, str]]:
    """Yields the objects of a list that is no JSON as a whole, each to be judged alone."""
    depth, start, end = 0, 0, 0
    for token in _TOKEN.finditer(data):
        if (kind := token.group()[:1]) in b"[{":
            depth += 1
            start = token.start() if depth == 2 else start
        elif kind in b"]}":
            depth -= 1
            end = token.end()
            if depth == 1:
                yield data[start:end], ""
        if depth == 0:
            break
    if depth > 0:
        yield (
            b"",
            "the file was cut off within a conversation" if depth > 1 else "the file was cut off between conversations",
        )


@dataclass(slots=True)
class _Tree:
    """One conversation: its nodes by id, its session, the ids of the current branch, and the times told so far.

    `times` has, for each node that was read, its own time, else that of the node before it.
    """

    nodes: dict[str, dict[str, Any]]
    session: str
    current: set[str]
    times: dict[str, Any]


def _conversation(found: Any, numbers: Iterator[int], options: Options) -> Iterator[Line]:
    if not isinstance(found, dict) or not isinstance(found.get("mapping"), dict):
        raise Bad('an object with a "mapping" is required')
    session = word(found, "conversation_id") or word(found, "id")
    if not session:
        raise Bad('field "conversation_id" is missing')
    nodes = {key: node for key, node in found["mapping"].items() if isinstance(node, dict)}
    current = set(_way(nodes, word(found, "current_node")))
    tree = _Tree(nodes, session, current, {"": found.get("create_time")})
    for key in _in_order(nodes):
        number = next(numbers)
        own = table(nodes[key], "message").get("create_time")
        tree.times[key] = tree.times.get(word(nodes[key], "parent"), tree.times[""]) if own is None else own
        try:
            yield from _node(number, key, tree, options)
        except (Bad, RecursionError) as bad:
            yield Line(number, reason=f"conversation {session}, node {key}: {bad}")
    for key in found["mapping"].keys() - nodes.keys():
        yield Line(next(numbers), reason=f"conversation {session}, node {key}: an object is required")


def _way(nodes: dict[str, dict[str, Any]], key: str) -> list[str]:
    way: dict[str, None] = {}
    while key in nodes and key not in way:
        way[key] = None
        key = word(nodes[key], "parent")
    return list(way)


def _in_order(nodes: dict[str, dict[str, Any]]) -> list[str]:
    """Returns the keys of the nodes, each after its parent; a node that hangs nowhere comes where it stands."""
    done: dict[str, None] = {}
    roots = [key for key, node in nodes.items() if word(node, "parent") not in nodes]
    waiting = [*reversed(nodes), *reversed(roots)]
    while waiting:
        key = waiting.pop()
        if key in nodes and key not in done:
            done[key] = None
            children = nodes[key].get("children")
            waiting += (
                [child for child in reversed(children) if isinstance(child, str)] if isinstance(children, list) else []
            )
    return list(done)


def _node(number: int, key: str, tree: _Tree, options: Options) -> Iterator[Line]:
    message = table(tree.nodes[key], "message")
    if not message:
        yield Line(number, noise="empty")
        return
    pieces = list(_pieces(message))
    if all(piece.noise or not piece.text.strip() for piece in pieces):
        yield from (Line(number, noise=piece.noise or "empty") for piece in pieces)
        return
    at, assumed = _time(key, tree)
    head = Head(
        id=word(message, "id") or key,
        at=at,
        assumed=assumed,
        session=tree.session,
        parent=_parent(key, tree),
        off=bool(tree.current) and key not in tree.current,
    )
    yield from messages(number, head, pieces, options, SOURCE)


def _parent(key: str, tree: _Tree) -> str:
    above = word(tree.nodes[key], "parent")
    message = table(tree.nodes.get(above, {}), "message")
    return word(message, "id") or above if message else ""


def _time(key: str, tree: _Tree) -> tuple[int, bool]:
    """Returns a message's time, and whether it is that of the one before it, or the conversation's, for want of its own."""
    own = table(tree.nodes[key], "message").get("create_time")
    return seconds(tree.times[key], "create_time"), own is None


def _pieces(message: dict[str, Any]) -> Iterator[Piece]:
    author, meta, content = (table(message, name) for name in ("author", "metadata", "content"))
    role = author.get("role")
    if not isinstance(role, str) or role not in VOICES:
        raise Bad(f'field "role" is {role!r:.40}, one of user, assistant, tool, system is required')
    kind = word(content, "content_type")
    hidden = role == "user" and any(meta.get(name) is True for name in _HIDDEN)
    voice = cast("VoiceRole", "system" if hidden or any(name in content for name in _CONTEXT) else role)
    named = word(meta, "model_slug") if role == "assistant" else ""
    base = Piece(role=voice, speaker=word(author, "name") or named)
    to = word(message, "recipient") or "all"
    if kind in _THOUGHTS:
        yield Piece(noise="thinking")
        return
    texts = list(_texts(content))
    for place, (text, noise) in enumerate(texts):
        said = call(to, text) if role == "assistant" and to != "all" and not noise else text
        yield replace(base, text=said, noise=noise, part=inside("", place, len(texts)))
    if not texts:
        yield Piece(noise="empty")


def _texts(content: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yields the texts of a message's content, and the class of noise of each part that is none."""
    parts = content.get("parts")
    for part in parts if isinstance(parts, list) else []:
        if isinstance(part, str):
            yield part, ""
        elif isinstance(part, dict) and isinstance(part.get("text"), str):
            yield part["text"], ""
        else:
            yield "", noise_name(part.get("content_type") if isinstance(part, dict) else None)
    for name in ("text", "result", *_CONTEXT):
        if isinstance(content.get(name), str) and content[name]:
            yield content[name], ""
