"""LoCoMo: long two-person conversations, one scope each (`conv-26` and so on).

The named user, else the first speaker, is the user; the other speaker is the assistant; an image's caption is a tool's
text, said right after its turn. The file gives one naive time a session, which all its turns share. Questions, summaries
and observations are not imported.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from affidavit.domain.errors import BadInput
from affidavit.domain.messages import Message
from affidavit.domain.times import parse_time
from affidavit.scripts.importers import Line, Options, Part

SOURCE = "locomo"
_SESSION = re.compile(r"session_\d+")
_TIME = "%I:%M %p on %d %B, %Y"


def read(path: Path, options: Options) -> Iterator[Part]:
    """Yields one part for each conversation. Raises BadInput where the file is not LoCoMo's."""
    try:
        samples = msgspec.json.decode(path.read_bytes())
    except msgspec.DecodeError as error:
        msg = f"{path}: not JSON: {error}"
        raise BadInput(msg) from error
    if not isinstance(samples, list):
        msg = f"{path}: a list of conversations is required"
        raise BadInput(msg)
    for number, sample in enumerate(samples, 1):
        if not isinstance(sample, dict) or not isinstance(sample.get("conversation"), dict) or "sample_id" not in sample:
            msg = f'{path}: item {number} has no "sample_id" and "conversation"'
            raise BadInput(msg)
        scope = str(sample["sample_id"])
        yield Part(scope, _turns(sample["conversation"], options, options.zone_of(scope)))


def _turns(conversation: dict[str, Any], options: Options, zone: str) -> Iterator[Line]:
    speakers = [str(conversation.get(name, "")) for name in ("speaker_a", "speaker_b")]
    user = options.user or speakers[0]
    if user not in speakers:
        msg = f"the user is {user!r}, one of the speakers {' and '.join(speakers)} is required"
        raise BadInput(msg)
    number = 0
    for session in sorted(_sessions(conversation), key=lambda name: int(name.removeprefix("session_"))):
        at, assumed = _session_time(conversation, session, zone)
        for turn in conversation[session]:
            number += 1
            if not isinstance(turn, dict) or not all(isinstance(turn.get(name), str) for name in ("text", "dia_id")):
                yield Line(number, reason=f'{session}: a turn needs "dia_id" and "text", both texts')
                continue
            if at is None:
                yield Line(number, reason=f'{session}: its "date_time" cannot be read')
                continue
            whole = Message(
                id=turn["dia_id"],
                role="user" if turn.get("speaker") == user else "assistant",
                text=turn["text"],
                at=at,
                assumed=assumed,
                source=options.source or SOURCE,
                session=session,
                speaker=str(turn.get("speaker", "")),
                namespace=options.namespace,
            )
            yield from (Line(number, message) for message in _messages(whole, str(turn.get("blip_caption") or "")))


def _messages(turn: Message, caption: str) -> Iterator[Message]:
    """Yields the turn's words and, as a tool's text, the caption of its image."""
    if turn.text.strip():
        yield turn
    if caption.strip():
        yield replace(turn, id=f"{turn.id}/image", role="tool", text=caption, speaker="image caption", parent=turn.id)


def _sessions(conversation: dict[str, Any]) -> list[str]:
    return [name for name, value in conversation.items() if _SESSION.fullmatch(name) and isinstance(value, list)]


def _session_time(conversation: dict[str, Any], session: str, zone: str) -> tuple[int | None, bool]:
    try:
        moment = datetime.strptime(str(conversation.get(f"{session}_date_time")), _TIME)  # noqa: DTZ007 - zone comes below
    except ValueError:
        return None, False
    return parse_time(moment.isoformat(), zone)
