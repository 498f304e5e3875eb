"""Shards of the archive: named by day, bounded, filled in order, and made again from the log."""

import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from extractors import Dislikes, Plain, archive

import affidavit
from affidavit.domain.errors import IntegrityFault
from affidavit.projections.archive import Archive
from affidavit.scripts.ledger import Ledger


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with affidavit.init(tmp_path / "ledger", scope="ana", time_zone="Asia/Shanghai") as ledger:
        yield ledger


def sizes(ledger: Ledger) -> dict[str, int]:
    found: dict[str, int] = {}
    for one in ledger.archive():
        found[one["shard"]] = found.get(one["shard"], 0) + 1
    return found


def of_size(ledger: Ledger, most: int) -> None:
    policy = ledger.policy()
    ledger.adopt_policy(msgspec.structs.replace(policy, archive=msgspec.structs.replace(policy.archive, shard=most)))


def dispute(ledger: Ledger, count: int) -> None:
    """Lets so many claims be disputed, in two messages."""
    names = [f"thing{number}" for number in range(count)]
    ledger.remember({"text": " ".join(f"I like {name}." for name in names), "time": "2026-11-01"}, extractor=Plain())
    ledger.remember({"text": " ".join(f"I dislike {name}." for name in names), "time": "2026-11-02"}, extractor=Dislikes())


def sweep_all(ledger: Ledger) -> None:
    policy = ledger.policy()
    soon = msgspec.structs.replace(policy, archive=msgspec.structs.replace(policy.archive, after_days=1))
    ledger.adopt_policy(soon)
    ledger.tick(now="2026-11-03T20:00:00Z", extractor=Dislikes())
    ledger.adopt_policy(policy)


def test_a_shard_has_the_local_day_of_the_scope(ledger: Ledger) -> None:
    dispute(ledger, 1)
    sweep_all(ledger)
    (one,) = ledger.archive()
    assert (one["shard"], one["day"], one["archived_at"]) == ("2026-11-04_0001", "2026-11-04", "2026-11-03T20:00:00Z")
    (claim,) = ledger.claims(status="archived")
    (archived,) = ledger.show(claim.id).decisions
    assert archived["what"] == "claim-archived"
    assert (archived["actual"], archived["required"]) == (1, 1)


@pytest.mark.row("N15")
def test_the_five_hundred_and_first_begins_a_second_shard_and_a_batch_of_1007_three(ledger: Ledger, long: bool) -> None:
    full, batch = (500, 1007) if long else (50, 107)
    of_size(ledger, full)
    dispute(ledger, full + 1)
    sweep_all(ledger)
    assert sizes(ledger) == {"2026-11-04_0001": full, "2026-11-04_0002": 1}
    with affidavit.init(Path(ledger.status().ledger).parent / "other", scope="ana", time_zone="Asia/Shanghai") as other:
        of_size(other, full)
        dispute(other, batch)
        sweep_all(other)
        assert sizes(other) == {"2026-11-04_0001": full, "2026-11-04_0002": full, "2026-11-04_0003": batch - 2 * full}
        assert affidavit.Policy().archive.shard == 500


@pytest.mark.row("N16")
def test_the_earlier_shard_with_room_is_filled_first_and_a_third_begins_when_all_are_full(ledger: Ledger) -> None:
    of_size(ledger, 2)
    dispute(ledger, 4)
    sweep_all(ledger)
    first = next(one for one in ledger.archive() if one["shard"] == "2026-11-04_0001")
    ledger.unarchive(first["id"])
    assert sizes(ledger) == {"2026-11-04_0001": 1, "2026-11-04_0002": 2}
    sweep_all(ledger)  # The one that was taken out has its day already.
    assert sizes(ledger) == {"2026-11-04_0001": 1, "2026-11-04_0002": 2}
    archive_more(ledger, "rain")
    assert sizes(ledger) == {"2026-11-04_0001": 2, "2026-11-04_0002": 2}
    archive_more(ledger, "wind")
    assert sizes(ledger) == {"2026-11-04_0001": 2, "2026-11-04_0002": 2, "2026-11-04_0003": 1}


def archive_more(ledger: Ledger, thing: str) -> None:
    ledger.remember({"text": f"I like {thing}.", "time": "2026-11-01"}, extractor=Plain())
    ledger.remember({"text": f"I dislike {thing}.", "time": "2026-11-02"}, extractor=Dislikes())
    sweep_all(ledger)


@pytest.mark.row("N14")
@pytest.mark.row("N19")
def test_shards_that_were_deleted_come_back_the_same_however_often(ledger: Ledger) -> None:
    archive(ledger, "rain", "wind")
    before = ledger.archive()
    assert len(before) == 2
    for _ in range(10):
        for file in (Path(ledger.status().ledger) / "views").glob("archive.*"):
            file.unlink()
        assert ledger.archive() == before
        ledger.rebuild()
        assert ledger.archive() == before
    assert {claim.status for claim in ledger.claims(every=True)} == {"active", "archived"}


@pytest.mark.row("N17")
def test_a_damaged_shard_is_refused_and_not_written_over(ledger: Ledger) -> None:
    archive(ledger, "rain", "wind")
    before = ledger.archive()
    views = Path(ledger.status().ledger) / "views"
    damaged = views / (views / "archive.current").read_text().strip()
    connection = sqlite3.connect(damaged)
    connection.execute("UPDATE rows SET content = substr(content, 1, 10) WHERE kind = 'archived'")
    connection.commit()
    connection.close()
    kept = shutil.copy(damaged, views.parent / "kept.db")
    with pytest.raises(IntegrityFault, match="archive"):
        ledger.archive()
    assert damaged.read_bytes() == Path(kept).read_bytes()
    assert len(ledger.claims(status="archived")) == 2  # The active view is not concerned.
    ledger.rebuild()
    assert ledger.archive() == before
    assert (views / (views / "archive.current").read_text().strip()) != damaged


def test_new_words_of_the_user_restore_a_claim_and_known_ones_do_not(ledger: Ledger) -> None:
    archive(ledger, "rain")
    ledger.extract(Plain(), again=True)
    assert [one["text"] for one in ledger.archive()] == ["User likes rain."]
    ledger.remember({"text": "I like rain.", "time": "2026-11-20"}, extractor=Plain())
    assert ledger.archive() == []
    assert "User likes rain." in {claim.text for claim in ledger.claims()}


def test_an_archive_of_the_past_is_as_it_was(ledger: Ledger) -> None:
    archive(ledger, "rain")
    position = ledger.position
    ledger.unarchive(ledger.archive()[0]["id"])
    assert ledger.archive() == []
    assert [one["text"] for one in ledger.archive(as_of=position)] == ["User likes rain."]
    assert Archive.version >= 1
