"""LoCoMo's ten conversations: import, extract, render, verify, rebuild; the same digests wherever they are made."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import affidavit
from affidavit.scripts.bootstrap import PROJECTIONS

CALLERS_KEY = bytes(range(32))
IMPORT = """
import sys
import affidavit
with affidavit.init(sys.argv[1], scope="other") as ledger:
    ledger.import_file(sys.argv[2], time_zone="Europe/Lisbon")
"""
PLACES = [
    {"PYTHONHASHSEED": "0", "TZ": "Asia/Shanghai", "LC_ALL": "C"},
    {"PYTHONHASHSEED": "1", "TZ": "America/New_York", "LC_ALL": "C.UTF-8"},
]


def run(place: dict[str, str], *command: str) -> str:
    environment = {**os.environ, **place}
    done = subprocess.run([sys.executable, *command], env=environment, capture_output=True, text=True, check=True)
    return done.stdout


def portable(folder: Path) -> dict[tuple[str, str], str]:
    """Returns the digest of every view of every scope under a key of the caller's, which no ledger knows.

    The timeline is left out: it tells when each ledger read what was said.
    """
    found = {}
    with affidavit.open(folder, scope="other") as ledger:
        for scope in ledger.scopes():
            with ledger.at(scope.name).snapshot() as at:
                for kind in (kind for kind in PROJECTIONS if kind.name != "timeline"):
                    found[scope.name, kind.name] = at.rows(kind()).view_digest(at.scope, CALLERS_KEY)
    return found


@pytest.fixture(scope="module")
def folders(data: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Imports the ten conversations twice, in processes of other hash seed, zone and locale, under other secrets."""
    made = []
    for number, place in enumerate(PLACES):
        folder = tmp_path_factory.mktemp("locomo") / str(number)
        run(place, "-c", IMPORT, str(folder), str(data / "locomo10.json"))
        made.append(folder)
    return made


def test_the_journey_holds_for_each_conversation(folders: list[Path]) -> None:
    with affidavit.open(folders[0], scope="other") as ledger:
        conversations = [ledger.at(scope.name) for scope in ledger.scopes() if scope.name != "other"]
        assert len(conversations) == 10
        for at in conversations:
            claims = at.claims()
            assert len(claims) > 20
            assert at.prompt(now=at.evidence()[-1].occurred_at).text.count("\n- ") > 10
            source = at.why(claims[0].id).sources[0]
            assert source.quote
            assert source.quote in {item.text[source.start : source.end] for item in at.evidence(source.evidence)}
        assert ledger.verify().clean
        ledger.rebuild()
        assert all(one.agree for one in ledger.check_views())


def test_live_and_rebuilt_digests_agree_in_any_process(folders: list[Path]) -> None:
    said = [run(place, "-m", "affidavit", "rebuild", "--check", "--json", "--ledger", str(folders[0])) for place in PLACES]
    first, second = (json.loads(text)["views"] for text in said)
    assert first == second
    assert len(first) == 11 * len(PROJECTIONS)
    assert all(one["agree"] and one["live"] for one in first)


def test_two_ledgers_of_the_same_words_have_the_same_portable_digests(folders: list[Path]) -> None:
    first, second = (portable(folder) for folder in folders)
    assert first == second
    assert len(set(first.values())) > 10


def test_their_own_digests_differ_since_each_has_its_secret(folders: list[Path]) -> None:
    digests = []
    for folder in folders:
        with affidavit.open(folder, scope="conv-26") as ledger:
            digests.append({one.live for one in ledger.check_views() if one.scope == "conv-26"})
    assert not digests[0] & digests[1]
