"""A word of a message is in the views, and in no file of the log or the keys, in no clothes."""

import base64
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from extractors import Plain

import affidavit
from affidavit.scripts.ledger import Ledger

CANARY = "Xanaduville"


def clothes(word: str) -> Iterator[bytes]:
    """Yields the word as bytes in the forms that a leak could take: cases, UTF-16, hex and base64 at each offset."""
    for form in (word, word.lower(), word.upper(), word[::-1]):
        yield form.encode()
        yield form.encode("utf-16-le")
        yield form.encode("utf-16-be")
        yield form.encode().hex().encode()
    for offset in range(3):
        encoded = base64.b64encode(b"\0" * offset + word.encode())
        yield encoded[4 if offset else 0 : -4]


def files_with(word: str, folder: Path) -> set[str]:
    return {
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if path.is_file() and any(form in path.read_bytes() for form in clothes(word))
    }


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with affidavit.init(tmp_path / "ledger", scope=CANARY) as ledger:
        message = {
            "id": CANARY,
            "text": f"I live in {CANARY}",
            "name": CANARY,
            "session": CANARY,
            "namespace": CANARY,
            "parent": CANARY,
        }
        ledger.remember(message, extractor=Plain())
        (claim,) = ledger.claims()
        ledger.correct(claim.id, f"User lives in {CANARY} and nowhere else.", value=CANARY)
        ledger.remember(f"{CANARY} it is.", as_claim=True)
        ledger.reject(ledger.claims()[0].id)
        ledger.extract(Plain(), again=True)
        yield ledger


def test_the_word_is_in_the_views_and_in_no_file_of_log_or_keys(ledger: Ledger, tmp_path: Path) -> None:
    ledger.rebuild()
    assert ledger.inbox()
    found = files_with(CANARY, tmp_path / "ledger")
    assert {name.split("/")[1].split(".")[0] for name in found} >= {"active", "timeline", "provenance"}
    assert all(name.startswith("views/") for name in found)
    assert (tmp_path / "ledger" / "log.db-wal").stat().st_size > 0


@pytest.mark.parametrize("clothing", range(len(list(clothes(CANARY)))))
def test_the_search_finds_the_word_in_each_of_its_clothes(tmp_path: Path, clothing: int) -> None:
    (tmp_path / "planted").write_bytes(b"\0\x01" + list(clothes(CANARY))[clothing] + b"\xff")
    assert files_with(CANARY, tmp_path) == {"planted"}


def test_no_text_column_of_the_log_holds_more_than_closed_words(ledger: Ledger, tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "ledger" / "log.db")
    texts = {row[0] for row in connection.execute("SELECT DISTINCT type FROM records")}
    texts |= {row[0] for row in connection.execute("SELECT name FROM extractors")}
    connection.close()
    assert {text for text in texts if text and not text.isascii()} == set()
    assert not any(CANARY.lower() in text.lower() for text in texts)
