"""Views follow from the log: increment and rebuild agree, a lost view comes back, a damaged row is never served."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from extractors import Failing, Plain, archive
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import affidavit
from affidavit.domain.proposals import ExtractorId, Passage, Proposal
from affidavit.projections import answers
from affidavit.projections.active import Active
from affidavit.projections.inbox import Inbox
from affidavit.projections.prompt import Prompt
from affidavit.projections.provenance import Provenance
from affidavit.projections.rows import DamagedRow
from affidavit.projections.views import Projection
from affidavit.scripts.bootstrap import PROJECTIONS

VIEWS = [kind.name for kind in PROJECTIONS]


class Loud:
    """Reads as `Plain` does, and words everything in another way."""

    identity = ExtractorId("loud", "1", "1" * 64)

    def extract(self, passage: Passage) -> tuple[Proposal, ...]:
        """Returns the proposals of `Plain`, in capitals."""
        return tuple(
            Proposal(text=f"{one.text.upper()}", kind="decision", span=one.span, quote=one.quote, value="")
            for one in Plain().extract(passage)
        )


def say(ledger: affidavit.Ledger, text: str, **fields: str) -> affidavit.Remembered:
    message: Mapping[str, str] = {**fields, "text": text}
    return ledger.remember(message, extractor=Plain())


def digests(ledger: affidavit.Ledger, as_of: int | None = None) -> dict[str, str]:
    """Returns the digest of every view, now or as of a position."""
    with ledger.snapshot(as_of) as at:
        return {kind.name: at.rows(kind()).view_digest(at.scope) for kind in PROJECTIONS}


def agree(ledger: affidavit.Ledger) -> bool:
    """Tells whether every view, as it stands, has the rows and the digest of one built anew."""
    found = ledger.check_views()
    assert {one.view for one in found} == set(VIEWS)
    return all(one.agree for one in found)


Step = Callable[[affidavit.Ledger], object]


def claim_of(ledger: affidavit.Ledger, number: int) -> str:
    """Returns the id of a claim, live or not; of one that is not there where there is none."""
    found = ledger.claims(every=True)
    return found[number % len(found)].id if found else ""


def judged(verb: str, number: int, *text: str) -> Step:
    def step(ledger: affidavit.Ledger) -> None:
        claim = claim_of(ledger, number)
        if claim:
            getattr(ledger, verb)(claim, *text)

    return step


TEXTS = (
    "I live in Lisbon. I like tea.",
    "I live in Porto.",
    "My port is 7000. My port is 7001.",
    "I like tea. I like cake.",
    "the roof is done",
    "Good morning.",
)
WRITES: dict[str, Step] = {
    "a message": lambda ledger: say(ledger, TEXTS[0], id="1", session="a"),
    "an update": lambda ledger: say(ledger, TEXTS[1], id="2", session="b"),
    "a restatement": lambda ledger: say(ledger, TEXTS[3], id="3", session="c"),
    "two values at once": lambda ledger: say(ledger, TEXTS[2], id="4"),
    "an assistant's words": lambda ledger: say(ledger, TEXTS[0], id="5", role="assistant"),
    "another namespace": lambda ledger: say(ledger, TEXTS[0], id="6", namespace="work"),
    "a failure": lambda ledger: ledger.remember({"id": "7", "text": TEXTS[1]}, extractor=Failing()),
    "a correction": judged("correct", 0, "User lives in Faro."),
    "a correction of it": judged("correct", -1, "User lives in Évora."),
    "a rejection": judged("reject", 1),
    "what was rejected, said again": lambda ledger: say(ledger, TEXTS[3], id="8"),
    "a revision": lambda ledger: say(ledger, "I live in Braga.", id="1", session="a"),
    "another extractor": lambda ledger: ledger.extract(Loud()),
    "everything again": lambda ledger: ledger.extract(Plain(), again=True),
    "an assertion": lambda ledger: ledger.remember("Ana is left-handed.", as_claim=True),
    "a policy": lambda ledger: ledger.adopt_policy(affidavit.Policy(evidence_weight_step=50_000)),
    "a dead letter": lambda ledger: [ledger.extract(Failing(), again=True) for _ in range(5)],
    "an archive": lambda ledger: archive(ledger, "jazz", "wind", "snow"),
    "one taken from it": lambda ledger: ledger.unarchive(ledger.archive()[0]["id"]),
    "another mode": lambda ledger: ledger.switch_mode(powerful=False),
    "a prompt that was used": lambda ledger: ledger.injected(ledger.prompt()),
    "another scope": lambda ledger: say(_opened(ledger, "ben"), TEXTS[0], id="1"),
}


def _opened(ledger: affidavit.Ledger, scope: str) -> affidavit.Ledger:
    other = ledger.at(scope)
    other.open_scope(scope)
    return other


@pytest.fixture(scope="module")
def long_story(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Makes one ledger in which all of that happened."""
    folder = tmp_path_factory.mktemp("story") / "ledger"
    with affidavit.init(folder, scope="ana") as ledger:
        for write in WRITES.values():
            write(ledger)
        digests(ledger)
    return folder


@pytest.fixture
def folder(long_story: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(long_story, tmp_path / "ledger"))


@pytest.fixture
def ledger(folder: Path) -> Iterator[affidavit.Ledger]:
    with affidavit.open(folder, scope="ana") as opened:
        digests(opened)
        yield opened


# -- increment, rebuild and the past -----------------------------------------------------------------------------------


def test_increment_and_rebuild_agree_after_every_write_and_the_past_is_as_it_was(tmp_path: Path) -> None:
    then: dict[int, dict[str, str]] = {}
    with affidavit.init(tmp_path / "ledger", scope="ana") as ledger:
        for name, write in WRITES.items():
            write(ledger)
            assert agree(ledger), name
            then[ledger.position] = digests(ledger)
        assert ledger.verify().clean
        assert {position: digests(ledger, position) for position in then} == then


WRITE = st.one_of(
    st.builds(
        lambda text, message: lambda ledger: say(ledger, text, id=message, time="2026-11-30T12:00:00Z"),
        st.sampled_from(TEXTS),
        st.sampled_from("123"),
    ),
    st.builds(judged, st.just("correct"), st.integers(0, 5), st.sampled_from(["User lives in Faro.", "User likes tea."])),
    st.builds(judged, st.just("reject"), st.integers(0, 5)),
    st.sampled_from([Plain(), Loud(), Failing("tea")]).map(lambda who: lambda ledger: ledger.extract(who, again=True)),
)


@settings(max_examples=8, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(WRITE, min_size=2, max_size=8))
def test_increment_and_rebuild_agree_in_any_story(tmp_path_factory: pytest.TempPathFactory, writes: list[Step]) -> None:
    with affidavit.init(tmp_path_factory.mktemp("any") / "ledger", scope="ana") as ledger:
        for write in writes:
            write(ledger)
            digests(ledger)
        assert agree(ledger)


def test_a_rebuild_changes_nothing(ledger: affidavit.Ledger) -> None:
    before = digests(ledger)
    ledger.rebuild()
    assert digests(ledger) == before
    assert agree(ledger)


def test_the_views_come_back(ledger: affidavit.Ledger, folder: Path) -> None:
    before, claims, text = digests(ledger), ledger.claims(), ledger.prompt().text
    shutil.rmtree(folder / "views")
    assert (digests(ledger), ledger.claims(), ledger.prompt().text) == (before, claims, text)


def test_nothing_in_a_stored_view_depends_on_now(ledger: affidavit.Ledger) -> None:
    before = digests(ledger)
    ledger.prompt(now="2040-01-01")
    ledger.show(ledger.claims()[0].id, now="2040-01-01")
    assert digests(ledger) == before


def test_a_changed_claim_changes_the_digest(ledger: affidavit.Ledger) -> None:
    before = digests(ledger)
    ledger.reject(ledger.claims()[0].id)
    after = digests(ledger)
    assert {name for name in VIEWS if before[name] == after[name]} <= {"archive", "inbox", "provenance"}


@pytest.mark.parametrize("kind", [Active, Provenance, Prompt, Inbox])
def test_the_order_of_independent_messages_leaves_no_trace(tmp_path: Path, kind: type[Projection]) -> None:
    messages = [
        {"id": str(number), "text": text, "time": f"2026-11-{number + 1:02}T12:00:00Z", "session": str(number)}
        for number, text in enumerate(["I like tea.", "I live in Lisbon.", "My port is 7000.", "I like cake."])
    ]
    found = []
    for name, said in (("one", messages), ("other", messages[::-1])):
        with affidavit.init(tmp_path / name, scope="ana") as ledger:
            for message in said:
                ledger.remember(message, extractor=Plain())
            with ledger.snapshot() as at:
                found.append(at.rows(kind()).view_digest(at.scope, key=b"k" * 32))
    assert found[0] == found[1]


CHECK = [sys.executable, "-m", "affidavit", "rebuild", "--check", "--json", "--scope", "ana"]


@pytest.mark.parametrize(
    ("seed", "zone", "locale"),
    [
        ("0", "Asia/Shanghai", "C"),
        ("1", "America/New_York", "C.UTF-8"),
        ("0", "America/New_York", "C"),
        ("1", "Asia/Shanghai", "C.UTF-8"),
    ],
)
def test_the_digest_is_the_same_in_any_process(
    ledger: affidavit.Ledger, folder: Path, tmp_path: Path, seed: str, zone: str, locale: str
) -> None:
    shutil.copytree(folder, tmp_path / "copy", ignore=shutil.ignore_patterns("views"))
    environment = {**os.environ, "PYTHONHASHSEED": seed, "TZ": zone, "LC_ALL": locale}
    for where in (folder, tmp_path / "copy"):
        done = subprocess.run([*CHECK, "--ledger", str(where)], env=environment, capture_output=True, check=True, timeout=60)
        views = [one for one in json.loads(done.stdout)["views"] if one["scope"] == "ana"]
        assert {one["view"]: one["live"] for one in views} == digests(ledger)
        assert all(one["agree"] for one in views)


# -- damage ------------------------------------------------------------------------------------------------------------

READS: dict[str, Callable[[affidavit.Ledger], object]] = {
    "active": affidavit.Ledger.claims,
    "provenance": affidavit.Ledger.evidence,
    "timeline": affidavit.Ledger.timeline,
    "prompt": affidavit.Ledger.prompt,
    "inbox": affidavit.Ledger.inbox,
    "archive": affidavit.Ledger.archive,
}
KINDS = {
    "active": "claim",
    "provenance": "evidence",
    "timeline": "event",
    "prompt": "fact",
    "inbox": "item",
    "archive": "archived",
}
Damage = Callable[[sqlite3.Connection, str], object]


def anas(kind: str) -> str:
    """Returns the condition for rows of one kind in the larger scope, which is Ana's and is the one that is read."""
    return (
        f"kind = '{kind}' AND scope = (SELECT scope FROM rows WHERE kind = '{kind}' GROUP BY scope ORDER BY count(*) DESC)"
    )


def change(connection: sqlite3.Connection, kind: str) -> None:
    """Flips one bit in one row's content."""
    key, content = connection.execute(f"SELECT key, content FROM rows WHERE {anas(kind)} ORDER BY key").fetchone()
    changed = bytearray(content)
    changed[len(changed) // 2] ^= 1
    connection.execute(f"UPDATE rows SET content = ? WHERE {anas(kind)} AND key = ?", (bytes(changed), key))


def change_digest(connection: sqlite3.Connection, kind: str) -> None:
    first = f"(SELECT min(key) FROM rows WHERE {anas(kind)})"
    connection.execute(f"UPDATE rows SET digest = zeroblob(16) WHERE {anas(kind)} AND key = {first}")


def delete(connection: sqlite3.Connection, kind: str) -> None:
    connection.execute(f"DELETE FROM rows WHERE {anas(kind)} AND key = (SELECT min(key) FROM rows WHERE {anas(kind)})")


def add(connection: sqlite3.Connection, kind: str) -> None:
    connection.execute(f"INSERT INTO rows SELECT scope, kind, x'ffff', content, digest FROM rows WHERE {anas(kind)} LIMIT 1")


def swap(connection: sqlite3.Connection, kind: str) -> None:
    rows = connection.execute(f"SELECT key, content, digest FROM rows WHERE {anas(kind)} ORDER BY key LIMIT 2").fetchall()
    for (key, _, _), (_, content, digest) in ((rows[0], rows[1]), (rows[1], rows[0])):
        connection.execute(f"UPDATE rows SET content = ?, digest = ? WHERE {anas(kind)} AND key = ?", (content, digest, key))


def change_sum(connection: sqlite3.Connection, kind: str) -> None:
    connection.execute("UPDATE sums SET count = count - 1 WHERE kind = ?", (kind,))


def forge_sum(connection: sqlite3.Connection, kind: str) -> None:
    delete(connection, kind)
    connection.execute("UPDATE sums SET count = count - 1 WHERE kind = ?", (kind,))


DAMAGES: list[Damage] = [change, change_digest, delete, add, swap, change_sum, forge_sum]


def view_file(folder: Path, view: str) -> Path:
    return folder / "views" / (folder / "views" / f"{view}.current").read_text()


def damage(folder: Path, view: str, how: Damage, kind: str = "") -> None:
    connection = sqlite3.connect(view_file(folder, view), isolation_level=None)
    how(connection, kind or KINDS[view])
    connection.close()


@pytest.mark.parametrize("how", DAMAGES)
@pytest.mark.parametrize("view", VIEWS)
def test_a_damaged_row_is_never_served_and_is_named(ledger: affidavit.Ledger, folder: Path, view: str, how: Damage) -> None:
    damage(folder, view, how)
    with pytest.raises(DamagedRow, match=rf"view {view}: .* {KINDS[view]}.*affidavit rebuild"):
        READS[view](ledger)
    named = [one for one in ledger.check_views() if not one.agree]
    assert {(one.view, one.live) for one in named} == {(view, "")}
    assert all(KINDS[view] in row for one in named for row in one.rows)


@pytest.mark.parametrize("view", VIEWS)
def test_a_rebuild_heals_a_damaged_view(ledger: affidavit.Ledger, folder: Path, view: str) -> None:
    damage(folder, view, change)
    ledger.rebuild()
    assert agree(ledger)


@pytest.mark.parametrize("view", VIEWS)
def test_a_row_that_vanished_is_named_by_its_id(ledger: affidavit.Ledger, folder: Path, view: str) -> None:
    connection = sqlite3.connect(view_file(folder, view))
    key = connection.execute(f"SELECT min(key) FROM rows WHERE {anas(KINDS[view])}").fetchone()[0]
    connection.close()
    damage(folder, view, delete)
    (named,) = (one for one in ledger.check_views() if not one.agree)
    assert key.hex()[:24] in named.rows[0]


def test_a_vanished_source_is_missed_beside_those_that_are_left(ledger: affidavit.Ledger, folder: Path) -> None:
    claim = max(ledger.claims(every=True), key=lambda claim: len(claim.evidence))
    assert len(ledger.why(claim.id).sources) > 1
    prefix = bytes.fromhex(claim.id)
    damage(
        folder,
        "provenance",
        lambda connection, kind: connection.execute(
            "DELETE FROM rows WHERE kind = ? AND key = (SELECT min(key) FROM rows WHERE kind = ? AND key > ?)",
            (kind, kind, prefix),
        ),
        "cites",
    )
    with pytest.raises(DamagedRow):
        ledger.why(claim.id)


def test_a_claim_as_it_was_before_is_not_served_as_it_is(tmp_path: Path) -> None:
    folder = tmp_path / "ledger"
    with affidavit.init(folder, scope="ana") as ledger:
        say(ledger, "I like tea.")
        (claim,) = ledger.claims()
        old = sqlite3.connect(view_file(folder, "active")).execute("SELECT content, digest FROM rows").fetchone()
        ledger.reject(claim.id)
        assert ledger.claims() == []
        damage(
            folder,
            "active",
            lambda connection, _: connection.execute("UPDATE rows SET content = ?, digest = ?", old),
        )
        with pytest.raises(DamagedRow):
            ledger.show(claim.id)


@pytest.mark.parametrize("view", VIEWS)
def test_all_rows_gone_with_their_sums_are_missed(ledger: affidavit.Ledger, folder: Path, view: str) -> None:
    def empty(connection: sqlite3.Connection, kind: str) -> None:
        connection.execute("DELETE FROM rows WHERE kind = ?", (kind,))
        connection.execute("DELETE FROM sums WHERE kind = ?", (kind,))

    damage(folder, view, empty)
    with pytest.raises(DamagedRow):
        READS[view](ledger)


def test_a_file_of_nonsense_is_not_served_and_a_rebuild_heals_it(ledger: affidavit.Ledger, folder: Path) -> None:
    before = digests(ledger)
    view_file(folder, "active").write_bytes(b"this is no view, is it?" * 500)
    with pytest.raises(DamagedRow, match=r"view active: its file cannot be read.*affidavit rebuild"):
        ledger.claims()
    assert [one.view for one in ledger.check_views() if not one.agree] == ["active"] * 2
    ledger.rebuild()
    assert digests(ledger) == before


def test_the_status_says_of_a_file_of_nonsense_that_it_is_not_built(ledger: affidavit.Ledger, folder: Path) -> None:
    view_file(folder, "active").write_bytes(b"this is no view, is it?" * 500)
    assert ledger.status().views["active"] is None


def test_a_damaged_view_stays_a_matter_of_its_own(ledger: affidavit.Ledger, folder: Path) -> None:
    text = ledger.prompt().text
    damage(folder, "timeline", change)
    assert ledger.prompt().text == text
    assert ledger.verify().clean


# -- another log -------------------------------------------------------------------------------------------------------


def test_the_views_of_another_log_are_built_anew(ledger: affidavit.Ledger, folder: Path, tmp_path: Path) -> None:
    with affidavit.init(tmp_path / "other", scope="ana") as other:
        for _ in range(4):
            say(other, "I like rain.")
        other.rebuild()
    shutil.rmtree(folder / "views")
    shutil.copytree(tmp_path / "other" / "views", folder / "views")
    assert "User likes rain." not in {claim.text for claim in ledger.claims(every=True)}
    assert agree(ledger)


def test_the_views_of_a_log_that_was_restored_are_built_anew(folder: Path, tmp_path: Path) -> None:
    with affidavit.open(folder, scope="ana") as ledger:
        before = digests(ledger)
    backup = Path(shutil.copytree(folder, tmp_path / "backup", ignore=shutil.ignore_patterns("views")))
    with affidavit.open(folder, scope="ana") as ledger:
        say(ledger, "I like rain.")
        assert digests(ledger) != before
    for path in folder.iterdir():
        if path.is_file():
            path.unlink()
    for path in backup.iterdir():
        shutil.copy(path, folder)
    with affidavit.open(folder, scope="ana") as ledger:
        assert digests(ledger) == before
        say(ledger, "I like snow.")
        assert agree(ledger)
        assert "User likes rain." not in {claim.text for claim in ledger.claims(every=True)}


# -- a kill at any moment ----------------------------------------------------------------------------------------------


def half_a_file(views: Path) -> None:
    (views / "active.7.db").write_bytes(b"SQLite format 3\x00 and then the light went out")
    (views / "active.7.db-journal").write_bytes(b"x")


def half_a_pointer(views: Path) -> None:
    (views / "active.new").write_text("active.9")


def a_pointer_to_nowhere(views: Path) -> None:
    (views / "active.current").write_text("active.9.db")


def an_empty_pointer(views: Path) -> None:
    (views / "active.current").write_text("")


def an_empty_file(views: Path) -> None:
    (views / (views / "active.current").read_text()).write_bytes(b"")


def a_missing_file(views: Path) -> None:
    (views / (views / "active.current").read_text()).unlink()


@pytest.mark.parametrize(
    "leave",
    [half_a_file, half_a_pointer, a_pointer_to_nowhere, an_empty_pointer, an_empty_file, a_missing_file],
)
def test_what_a_killed_rebuild_leaves_does_no_harm(
    ledger: affidavit.Ledger, folder: Path, leave: Callable[[Path], None]
) -> None:
    before = digests(ledger)
    leave(folder / "views")
    assert digests(ledger) == before
    say(ledger, "I like rain.")
    assert agree(ledger)
    ledger.rebuild()
    assert agree(ledger)
    assert len(list((folder / "views").glob("active.*.db"))) == 1


KILLED = """
import os, sys
import affidavit
from affidavit.projections import views
from affidavit.projections.active import Active

place, count = sys.argv[2], int(sys.argv[3])

def dying(function):
    def run(*arguments):
        global count
        count -= 1
        if count == 0:
            os._exit(9)
        return function(*arguments)
    return run

if place == "sync":
    views.sync = dying(views.sync)
else:
    Active.fold = dying(Active.fold)
with affidavit.open(sys.argv[1], scope="ana") as ledger:
    ledger.remember("I like rain.", extractor=None) if place == "catch up" else ledger.rebuild()
    ledger.claims()
"""


@pytest.mark.parametrize(
    ("place", "count"), [("sync", 1), ("sync", 2), ("sync", 3), ("fold", 1), ("fold", 5), ("catch up", 1)]
)
def test_a_kill_at_any_moment_leaves_a_valid_view(folder: Path, place: str, count: int) -> None:
    with affidavit.open(folder, scope="ana") as ledger:
        digests(ledger)
    command = [sys.executable, "-c", KILLED, str(folder), place, str(count)]
    assert subprocess.run(command, check=False, timeout=60).returncode == 9
    with affidavit.open(folder, scope="ana") as ledger:
        assert ledger.claims() == ledger.claims(as_of=ledger.position)
        assert agree(ledger)


# -- many at once ------------------------------------------------------------------------------------------------------


def test_one_answer_comes_from_one_state_of_the_log(ledger: affidavit.Ledger, folder: Path) -> None:
    with affidavit.open(folder, scope="ana") as other, ledger.snapshot() as at:
        position, claims = at.position, answers.claims(at)
        say(other, "I like rain.")
        digests(other)
        assert answers.events(at)[-1]["position"] <= position
        assert (at.position, answers.claims(at)) == (position, claims)


def test_a_view_that_is_swapped_while_it_is_opened_is_opened_again(
    ledger: affidavit.Ledger, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect, swapped = sqlite3.connect, False

    def swapping(path: str, **options: Any) -> sqlite3.Connection:
        """Connects to the view, and lets another program rebuild it at that very moment, once."""
        nonlocal swapped
        connection: sqlite3.Connection = connect(path, **options)
        if not swapped and "/views/active." in path:
            swapped = True
            with affidavit.open(folder, scope="ana") as other:
                other.rebuild()
        return connection

    claims = ledger.claims()
    with affidavit.open(folder, scope="ana") as opened:
        monkeypatch.setattr(sqlite3, "connect", swapping)
        assert opened.claims() == claims
    assert swapped


def open_views(folder: Path) -> set[str]:
    """Returns the view files that this process has open; one that was removed has ` (deleted)` behind its name."""
    links = [str(path.readlink()) for path in Path("/proc/self/fd").iterdir() if path.is_symlink()]
    return {Path(link).name for link in links if link.startswith(f"{folder}/views/") and ".db-" not in link}


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="the system does not tell which files are open")
def test_connections_wait_for_the_next_call_and_are_closed_with_the_ledger(folder: Path) -> None:
    with affidavit.open(folder, scope="ana") as ledger:
        digests(ledger)
        assert open_views(folder) == {view_file(folder, view).name for view in VIEWS}
        with ledger.snapshot() as at, ThreadPoolExecutor(1) as pool:
            answers.claims(at)
            pool.submit(ledger.close).result()
    assert open_views(folder) == set()


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="the system does not tell which files are open")
def test_a_view_that_another_program_has_built_anew_is_noticed_by_the_next_call(folder: Path) -> None:
    with affidavit.open(folder, scope="ana") as ledger, affidavit.open(folder, scope="ana") as other:
        before = digests(ledger)
        other.rebuild()
        assert digests(ledger) == before
        assert open_views(folder) == {view_file(folder, view).name for view in VIEWS}


def test_threads_share_the_connections_that_wait(ledger: affidavit.Ledger) -> None:
    claims = ledger.claims()
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda _: ledger.claims() == claims, range(40))) == [True] * 40


READING = """
import sys, time
from pathlib import Path
import affidavit
from affidavit.domain.tokens import Estimate
from affidavit.projections import answers

folder, rounds = Path(sys.argv[1]), 0
with affidavit.open(folder) as ledger:
    while rounds < 3 or not (folder / "done").exists():
        rounds += 1
        with ledger.snapshot() as at:
            claims = answers.claims(at)
            evidence = {item.id for item in answers.evidence(at)}
            shown = answers.rendered(at, Estimate()).manifest["sections"][0]
            last = max(event["position"] for event in answers.events(at))
        told = {claim["id"] for claim in shown["claims"]} | {omitted["id"] for omitted in shown["omitted"]}
        assert len(claims) <= 1, "two homes"
        assert all(claim.evidence and set(claim.evidence) <= evidence for claim in claims), "a claim without its evidence"
        assert told == {claim.id for claim in claims}, "a prompt of other claims"
        assert last == at.position, "a timeline of another position"
"""


def test_readers_never_see_a_mixed_state_while_a_writer_writes(tmp_path: Path) -> None:
    folder = tmp_path / "ledger"
    with affidavit.init(folder, scope="ana") as ledger:
        command = [sys.executable, "-c", READING, str(folder)]
        readers = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(3)]
        try:
            for number in range(60):
                say(ledger, f"I live in Town{number}.", id=str(number))
                if number % 20 == 19:
                    ledger.rebuild()
        finally:
            (folder / "done").touch()
            said = [reader.communicate(timeout=60)[1] for reader in readers]
        assert said == ["", "", ""]
        assert agree(ledger)
