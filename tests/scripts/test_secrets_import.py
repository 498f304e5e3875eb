"""Secrets on their way in: nothing that is kept holds one, places still agree, and the same file again adds nothing.

The planted secrets are put together at run time; the files here live in the test's own folder.
"""

import inspect
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from extractors import Plain

import affidavit
from affidavit.domain.messages import Message
from affidavit.domain.proposals import Span
from affidavit.domain.secrets import redact
from affidavit.scripts.importers import Options, chat

TIME = "2026-11-30T21:00:00+01:00"
TOKEN = "gh" + "p_" + "A1b2" * 9
PASSWORD = "hun" + "ter" + "22"
KEY_LINE = "MIIE" + "A1b2" * 15
BLOCK = "-----BEGIN RSA PRIVATE " + f"KEY-----\n{KEY_LINE}\n{KEY_LINE}\n-----END RSA PRIVATE " + "KEY-----"
SECRETS = (TOKEN, PASSWORD, KEY_LINE)

TEXTS = (
    f"My password is {PASSWORD}. I live in Lisbon.",
    f"I like tea. 我的密码是{PASSWORD}，别忘了。I like coffee.",
    f"Here it is:\n{BLOCK}\nI live in Porto.",
    f"> export GITHUB_TOKEN={TOKEN}\nI work at Acme.",
    f"I like green tea, and {TOKEN} is what you asked for: \U0001f600 I like cake.",
)

wired = pytest.mark.skipif(
    "keep_secrets" not in inspect.signature(affidavit.Ledger.import_file).parameters,
    reason="the import does not look for secrets yet",
)


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[affidavit.Ledger]:
    with affidavit.init(tmp_path / "ledger", scope="ana", time_zone="UTC") as opened:
        yield opened


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A chat whose fourth message marks its first line as quoted by itself."""
    path = tmp_path / "chat.jsonl"
    with path.open("w", encoding="utf-8") as out:
        for number, text in enumerate(TEXTS):
            fields: dict[str, Any] = {"id": f"m{number}", "role": "user", "time": TIME, "text": text}
            if number == 3:
                fields["adopted"] = [[0, text.index("\n")]]
            out.write(json.dumps(fields, ensure_ascii=False) + "\n")
    return path


def messages(path: Path) -> list[Message]:
    """Returns a file's messages without their secrets, as the import is to record them."""
    (part,) = chat.read(path, Options())
    found = []
    for line in part.lines:
        assert line.message is not None, line.reason
        redacted = redact(line.message.text)
        found.append(replace(line.message, text=redacted.text, adopted=redacted.moved(line.message.adopted)))
    return found


def kept(folder: Path) -> bytes:
    """Returns the bytes of every file of the ledger and of its keys."""
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def sentences(ledger: affidavit.Ledger) -> list[str]:
    return [item.text for item in ledger.evidence()]


def test_nothing_that_is_kept_or_derived_holds_a_secret(ledger: affidavit.Ledger, file: Path, tmp_path: Path) -> None:
    ledger.remember(messages(file), extractor=Plain())
    ledger.prompt()
    texts = [*sentences(ledger), *(claim.text for claim in ledger.claims())]
    assert len(ledger.claims()) > 3
    assert not [text for text in texts if any(secret in text for secret in SECRETS)]
    assert not [secret for secret in SECRETS if secret.encode() in kept(tmp_path / "ledger")]


def test_what_stood_around_them_is_evidence(ledger: affidavit.Ledger, file: Path) -> None:
    ledger.remember(messages(file), extractor=None)
    assert sorted(sentences(ledger)) == sorted(
        [
            "My password is [secret: password]. I live in Lisbon.",
            "I like tea. 我的密码是[secret: password]，别忘了。I like coffee.",
            "Here it is:\n[secret: private key]\nI live in Porto.",
            "> export GITHUB_TOKEN=[secret: github token]\nI work at Acme.",
            "I like green tea, and [secret: github token] is what you asked for: \U0001f600 I like cake.",
        ]
    )


def test_a_span_that_the_source_marked_still_covers_its_words(file: Path) -> None:
    message = messages(file)[3]
    assert [message.text[span.start : span.end] for span in message.adopted] == [
        "> export GITHUB_TOKEN=[secret: github token]"
    ]


def test_the_same_file_again_adds_nothing(ledger: affidavit.Ledger, file: Path) -> None:
    ledger.remember(messages(file), extractor=None)
    position = ledger.position
    ledger.remember(messages(file), extractor=None)
    assert ledger.position == position


def test_a_message_that_was_redacted_before_is_left_alone(file: Path) -> None:
    for message in messages(file):
        assert redact(message.text).text == message.text
        assert redact(message.text).moved((Span(0, len(message.text)),)) == (Span(0, len(message.text)),)


@wired
def test_the_import_keeps_none(ledger: affidavit.Ledger, file: Path, tmp_path: Path) -> None:
    ledger.import_file(file, extractor=Plain())
    ledger.prompt()
    assert not [text for text in sentences(ledger) if any(secret in text for secret in SECRETS)]
    assert not [secret for secret in SECRETS if secret.encode() in kept(tmp_path / "ledger")]
    position = ledger.position
    ledger.import_file(file, extractor=Plain())
    assert ledger.position == position


@wired
def test_they_are_kept_only_where_that_is_asked_for(ledger: affidavit.Ledger, file: Path) -> None:
    options: dict[str, Any] = {"keep_secrets": True}
    ledger.import_file(file, extractor=None, **options)
    assert sorted(sentences(ledger)) == sorted(TEXTS)
