"""Codex rollouts: JSONL, `{timestamp, type, payload}`; what was said stands as `response_item` and again as `event_msg`.

Each message is taken once, from its `response_item`; an `event_msg` that has no such twin is taken itself. The user's own
words are those that a `user_message` event repeats; other text in the user's place was put in by the program, and is the
system's. A file without any such event is read by its wrappers alone. In a sub-agent's rollout the prompts are the
assistant's.

Items have no ids, so a message's id is `line-<number>`, which holds because a rollout only grows, and a call's is its
`call_id`. `thread_rolled_back` takes turns back: they are off the current branch.
"""

import json
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any

from affidavit.domain.proposals import Span, VoiceRole
from affidavit.scripts.importers import Line, Options, Part
from affidavit.scripts.importers.lines import (
    Bad,
    Head,
    Piece,
    Row,
    call,
    entries,
    inside,
    messages,
    moment,
    noise_name,
    rows,
    said,
    table,
    tags,
    word,
)

SOURCE = "codex"
_INJECTED = tags(
    "environment_context",
    "user_instructions",
    "INSTRUCTIONS",
    "permissions",
    "turn_aborted",
    "user_shell_command",
    "user_action",
    "skill",
    "skills_instructions",
    "apps_instructions",
    "plugins_instructions",
    "recommended_plugins",
    "collaboration_mode",
    "personality_spec",
    "model_switch",
    "subagent_notification",
    "hook_prompt",
    "system-reminder",
)
_PROJECT = "# AGENTS.md instructions for"
_EDITOR = "# Context from my IDE setup:"
_REQUEST = "## My request for Codex:"
_SPOKEN = {"user_message": "user", "agent_message": "assistant"}
_CALLS = frozenset({"function_call", "custom_tool_call", "local_shell_call", "web_search_call", "tool_search_call"})
_ANSWERS = frozenset({"function_call_output", "custom_tool_call_output", "tool_search_output"})
_BLANKS = dict.fromkeys(map(ord, " \t\n\r\f\v\u00a0\u3000"))
_INPUTS = ("arguments", "input", "action", "query")


def read(path: Path, options: Options) -> Iterator[Part]:
    """Yields the file's one part."""
    yield Part(None, _lines(path, options))


def _lines(path: Path, options: Options) -> Iterator[Line]:
    reader = _Reader(options, _survey(path))
    yield from entries(path, reader.survey.lines, reader.lines)


@dataclass(slots=True)
class _Survey:
    """What must be known of the whole file: its header, its events by their words, what was typed, what was taken back.

    `typed` holds, by the line of a response item, the digests of its words that a user typed; `twins` holds the lines of
    the events that repeat an item.
    """

    lines: int = 0
    meta: dict[str, Any] = field(default_factory=dict)
    events: int = 0
    typed: dict[int, set[bytes]] = field(default_factory=dict)
    twins: set[int] = field(default_factory=set)
    undone: list[tuple[int, int]] = field(default_factory=list)


def _survey(path: Path) -> _Survey:
    survey = _Survey()
    items: list[tuple[int, bytes]] = []
    events: list[tuple[int, bytes]] = []
    rollbacks: list[tuple[int, int]] = []
    for row in rows(path):
        survey.lines += 1
        fields = row.fields or {}
        payload = table(fields, "payload")
        kind = payload.get("type")
        if fields.get("type") == "session_meta":
            survey.meta = survey.meta or payload
        elif fields.get("type") == "response_item" and kind == "message":
            items += [(row.number, words) for words in _said_in(payload)]
        elif fields.get("type") == "event_msg" and kind in _SPOKEN:
            events.append((row.number, _words(_SPOKEN[kind], word(payload, "message"))))
            survey.events += kind == "user_message"
        elif fields.get("type") == "event_msg" and kind == "thread_rolled_back":
            turns = payload.get("num_turns")
            rollbacks.append((row.number, turns if isinstance(turns, int) else 0))
    _pair(survey, items, events)
    _roll_back(survey, rollbacks, {number for number, words in events if words[:1] == b"u"})
    return survey


def _words(role: str, text: str) -> bytes:
    """Returns a digest of who said which words, whatever white space is between them."""
    return role[:1].encode() + blake2b(text.translate(_BLANKS).encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _said_in(payload: dict[str, Any]) -> set[bytes]:
    """Returns the digests of a message's texts, one by one and as a whole, as an event might repeat them."""
    role = word(payload, "role")
    if role not in {"user", "assistant"}:
        return set()
    content = payload.get("content")
    blocks = content if isinstance(content, list) else [{"text": content}]
    texts = [word(block, "text") for block in blocks if isinstance(block, dict)]
    return {_words(role, text) for text in {*texts, _joined(blocks)} if text.strip()}


def _joined(blocks: list[Any]) -> str:
    return "".join(word(block, "text") for block in blocks if isinstance(block, dict))


def _pair(survey: _Survey, items: list[tuple[int, bytes]], events: list[tuple[int, bytes]]) -> None:
    """Pairs each event with an item of the same words: the first with the first, and so on."""
    waiting: dict[bytes, list[int]] = {}
    for number, words in reversed(items):
        waiting.setdefault(words, []).append(number)
    for number, words in events:
        if waiting.get(words):
            twin = waiting[words].pop()
            survey.twins.add(number)
            if words[:1] == b"u":
                survey.typed.setdefault(twin, set()).add(words)


def _roll_back(survey: _Survey, rollbacks: list[tuple[int, int]], events: set[int]) -> None:
    """Finds the stretches of lines that were taken back: from the start of the last turns to where they were."""
    starts = sorted(survey.typed.keys() | (events - survey.twins), reverse=True)
    turns: list[int] = []
    for number, count in rollbacks:
        while starts and starts[-1] < number:
            turns.append(starts.pop())
        if count > 0 and turns:
            first = turns[-count:][0]
            del turns[-count:]
            while survey.undone and survey.undone[-1][0] >= first:
                survey.undone.pop()
            survey.undone.append((first, number))


@dataclass(slots=True)
class _Reader:
    """What a line needs of the lines before it: the model that answers, and the tools' names by call."""

    options: Options
    survey: _Survey
    model: str = ""
    tools: dict[str, str] = field(default_factory=dict)

    def lines(self, row: Row, fields: dict[str, Any]) -> Iterator[Line]:
        kind, payload = fields.get("type"), table(fields, "payload")
        if kind is None or "payload" not in fields:
            raise Bad('fields "type" and "payload" are required')
        if kind == "turn_context":
            self.model = word(payload, "model") or self.model
        if kind == "response_item":
            yield from self._item(row.number, fields, payload)
        elif kind == "event_msg" and payload.get("type") in _SPOKEN:
            yield from self._event(row.number, fields, payload)
        elif kind == "compacted" and word(payload, "message").strip():
            pieces = [Piece(text=word(payload, "message"), summary=True)]
            yield from messages(row.number, self._head(row.number, fields), pieces, self.options, SOURCE)
        else:
            yield Line(row.number, noise=noise_name(payload.get("type") if kind == "event_msg" else kind))

    def _item(self, number: int, fields: dict[str, Any], payload: dict[str, Any]) -> Iterator[Line]:
        kind, key = payload.get("type"), word(payload, "call_id") or word(payload, "id")
        if kind == "message":
            head, pieces = self._head(number, fields, word(payload, "id")), self._message(number, payload)
        elif kind in _CALLS:
            name = word(payload, "name") or str(kind).removesuffix("_call")
            self.tools[key] = name
            head = self._head(number, fields, key and f"{key}/call")
            pieces = iter([Piece(role="assistant", text=call(name, _input(payload)), speaker=self.model)])
        elif kind in _ANSWERS:
            head = self._head(number, fields, key and f"{key}/output", f"{key}/call" if key in self.tools else "")
            pieces = _output(payload, self.tools.get(key, ""))
        else:
            yield Line(number, noise="thinking" if kind == "reasoning" else noise_name(kind))
            return
        yield from messages(number, head, pieces, self.options, SOURCE)

    def _message(self, number: int, payload: dict[str, Any]) -> Iterator[Piece]:
        content = payload.get("content")
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        if not isinstance(blocks, list):
            raise Bad(f'field "content" is {content!r:.40}, a text or a list is required')
        typed = self.survey.typed.get(number, set())
        all_typed = not self.survey.events or bool(typed and _words("user", _joined(blocks)) in typed)
        for place, block in enumerate(blocks):
            part = inside("", place, len(blocks))
            if not isinstance(block, dict) or not isinstance(block.get("text"), str):
                yield Piece(noise=noise_name(block.get("type") if isinstance(block, dict) else None))
            elif payload.get("role") == "assistant":
                yield Piece(role="assistant", text=block["text"], part=part, speaker=self.model)
            elif payload.get("role") == "user" and (all_typed or _words("user", block["text"]) in typed):
                yield self._said(block["text"], part)
            else:
                yield Piece(role="system", text=block["text"], part=part)
        if not blocks:
            yield Piece(noise="empty")

    def _said(self, text: str, part: str) -> Piece:
        if text.startswith(_PROJECT):
            return Piece(role="system", text=text, part=part)
        piece = said(text, part, _INJECTED)
        if piece.role == "user" and self._is_agent:
            return Piece(role="assistant", text=text, part=part)
        request = text.find(_REQUEST) if text.startswith(_EDITOR) else -1
        if piece.role == "user" and request >= 0:
            spans = (Span(0, request + len(_REQUEST)), *(span for span in piece.adopted if span.start > request))
            return Piece(role="user", text=text, part=part, adopted=spans)
        return piece

    def _event(self, number: int, fields: dict[str, Any], payload: dict[str, Any]) -> Iterator[Line]:
        if number in self.survey.twins:
            yield Line(number, noise="repeated")
            return
        text = word(payload, "message")
        by_agent = payload["type"] == "agent_message"
        piece = Piece(role="assistant", text=text, speaker=self.model) if by_agent else self._said(text, "")
        yield from messages(number, self._head(number, fields), [piece], self.options, SOURCE)

    def _head(self, number: int, fields: dict[str, Any], key: str = "", parent: str = "") -> Head:
        at, assumed = moment(fields.get("timestamp"), self.options.zone)
        return Head(
            id=key or f"line-{number}",
            at=at,
            assumed=assumed,
            session=self._session(),
            parent=parent,
            off=self._is_off(number),
        )

    def _is_off(self, number: int) -> bool:
        place = bisect_left(self.survey.undone, (number + 1,))
        return place > 0 and number < self.survey.undone[place - 1][1]

    def _session(self) -> str:
        own = word(self.survey.meta, "id")
        if not own:
            raise Bad('no line of type "session_meta" tells the session\'s "id"')
        parent = word(self.survey.meta, "parent_thread_id") or word(self._spawn, "parent_thread_id")
        return f"{parent}/agent-{own}" if parent else own

    @property
    def _spawn(self) -> dict[str, Any]:
        return table(table(table(self.survey.meta, "source"), "subagent"), "thread_spawn")

    @property
    def _is_agent(self) -> bool:
        meta = self.survey.meta
        return meta.get("thread_source") == "subagent" or "subagent" in table(meta, "source") or "parent_thread_id" in meta


def _input(payload: dict[str, Any]) -> Any:
    given = next((payload[name] for name in _INPUTS if payload.get(name) is not None), None)
    if not isinstance(given, str) or payload.get("type") != "function_call":
        return given
    try:
        return json.loads(given)
    except (ValueError, RecursionError):
        return given


def _output(payload: dict[str, Any], tool: str) -> Iterator[Piece]:
    output = payload.get("output", payload.get("tools"))
    if isinstance(output, dict) and isinstance(output.get("content"), (str, list)):
        output = output["content"]
    blocks = output if isinstance(output, list) else [{"text": output if isinstance(output, str) else ""}]
    role: VoiceRole = "tool"
    for place, block in enumerate(blocks):
        if isinstance(block, dict) and isinstance(block.get("text"), str):
            yield Piece(role=role, text=block["text"], part=inside("", place, len(blocks)), speaker=tool)
        else:
            yield Piece(noise=noise_name(block.get("type") if isinstance(block, dict) else None))
    if not blocks:
        yield Piece(noise="empty")
