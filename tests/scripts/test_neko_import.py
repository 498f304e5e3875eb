"""A N.E.K.O character's folder, from its files to claims, prompt and archive; and again, spoilt, or against a rejection."""

import io
import json
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

import affidavit
from affidavit.domain.times import parse_time
from affidavit.projections.answers import Claim
from affidavit.scripts.cli import main
from affidavit.scripts.importers import detect, neko
from affidavit.scripts.outcomes import Imported

ZONE = "Asia/Shanghai"
NOW = parse_time("2026-05-10T00:00:00Z", "UTC")[0]
CREATED = "2026-05-01T09:30:00"
SHARD = "2026-04-20_0a1b2c3d.json"
PASSWORD = "hun" + "ter" + "22"

FACTS = [
    {"id": "f1", "text": "主人喜欢绿茶", "importance": 8, "entity": "master", "absorbed": True},
    {"id": "f2", "text": "主人住在里斯本", "importance": 5, "entity": "master", "absorbed": True},
    {"id": "f3", "text": "Owner plays the cello.", "importance": 9, "entity": "master"},
]
COUNTS = {"reinforcement": 1.5, "disputation": 0.25, "sub_zero_days": 2, "user_fact_reinforce_count": 3}
CLOCKS = {"rein_last_signal_at": "2026-05-05T12:00:00", "disp_last_signal_at": "2026-05-06T12:00:00"}
REFLECTIONS: list[dict[str, Any]] = [
    {"id": "r_pending", "text": "主人爱安静的早晨", "status": "pending", "source_fact_ids": ["f1"], **COUNTS, **CLOCKS},
    {
        "id": "r_confirmed",
        "text": "主人想家",
        "status": "confirmed",
        "confirmed_at": CREATED,
        "source_fact_ids": ["f2", "x"],
    },
    {"id": "r_promoted", "text": "主人爱茶", "status": "promoted", "source_fact_ids": ["f1", "f2"]},
    {"id": "r_merged", "text": "主人每天喝茶", "status": "merged", "source_fact_ids": ["f1", "f3"]},
    {"id": "r_blocked", "text": "主人喜欢雨天", "status": "promote_blocked", "source_fact_ids": ["f3"]},
    {"id": "r_denied", "text": "主人讨厌猫", "status": "denied", "source_fact_ids": ["f2", "f3"]},
]
PERSONA = {
    "__meta__": {"facts": []},
    "master": {
        "facts": [
            {"id": "prom_r_promoted", "text": "主人爱茶，天天喝", "source": "reflection", "source_id": "r_promoted"}
            | {"merged_from_ids": ["r_merged"], "reinforcement": 2.5, "disputation": 0},
        ],
    },
    "neko": {
        "facts": [{"id": "card_1", "text": "名字: 小天\n性格: 活泼", "source": "character_card", "protected": True}],
    },
}
ARCHIVED = [{"id": "r_old", "text": "主人养过狗", "status": "archived", "entity": "master", "source_fact_ids": ["gone"]}]


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[affidavit.Ledger]:
    with affidavit.init(tmp_path / "ledger", scope="ana", time_zone=ZONE, clock=lambda: NOW) as opened:
        yield opened


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Writes the folder of a character that has been talked to."""
    root = tmp_path / "小天"
    (root / "reflection_archive").mkdir(parents=True)
    aged = {"created_at": CREATED}
    put(root, "facts.json", [{**one, **aged} for one in FACTS])
    put(root, "facts_archive.json", [{"id": "f9", "text": "主人学法语", "entity": "master", "archived_at": CREATED}])
    put(root, "reflections.json", [{**one, **aged, "entity": "master"} for one in REFLECTIONS])
    put(root, "persona.json", PERSONA)
    put(root, f"reflection_archive/{SHARD}", ARCHIVED)
    put(root, "surfaced.json", [{"reflection_id": "r_pending"}, {"reflection_id": "r_denied"}])
    put(root, "cursors.json", {})
    return root


def put(root: Path, name: str, content: Any) -> None:
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    (root / name).write_text(text, encoding="utf-8")


def load(ledger: affidavit.Ledger, root: Path, **options: Any) -> Imported:
    (done,) = ledger.import_file(root, **options)
    return done


def by_text(ledger: affidavit.Ledger) -> dict[str, Claim]:
    return {f"{claim.form}: {claim.text}": claim for claim in ledger.claims(every=True)}


def run(*arguments: str | Path) -> tuple[int, str, str]:
    """Runs the command line; returns exit code, stdout and stderr."""
    out, err = io.StringIO(), io.StringIO()
    argv = patch.object(sys, "argv", ["affidavit", *map(str, arguments)])
    with argv, redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as end:
        main()
    assert isinstance(end.value.code, int)
    return end.value.code, out.getvalue(), err.getvalue()


# What comes in


def test_every_memory_is_a_claim_of_its_status(ledger: affidavit.Ledger, root: Path) -> None:
    assert detect(root) == "neko"
    done = load(ledger, root)
    assert (done.recorded, done.derived, done.known, done.skipped, done.failed) == (13, 13, 0, [], 0)
    assert {name: claim.status for name, claim in by_text(ledger).items()} == {
        "fact: 主人喜欢绿茶": "absorbed",
        "fact: 主人住在里斯本": "absorbed",
        "fact: Owner plays the cello.": "active",
        "fact: 主人学法语": "archived",
        "reflection: 主人爱安静的早晨": "pending",
        "reflection: 主人想家": "confirmed",
        "reflection: 主人爱茶": "promoted",
        "reflection: 主人每天喝茶": "merged",
        "reflection: 主人喜欢雨天": "promote_blocked",
        "reflection: 主人讨厌猫": "denied",
        "reflection: 主人养过狗": "archived",
        "persona: 主人爱茶，天天喝": "active",
        "persona: 名字: 小天 性格: 活泼": "active",
    }


def test_counters_clocks_and_importance_are_those_of_the_files(ledger: affidavit.Ledger, root: Path) -> None:
    load(ledger, root)
    claims = by_text(ledger)
    pending = ledger.show(claims["reflection: 主人爱安静的早晨"].id).state
    assert {name: pending[name] for name in COUNTS} == COUNTS
    assert pending["rein_last_signal_at"] == "2026-05-05T04:00:00Z"
    assert pending["disp_last_signal_at"] == "2026-05-06T04:00:00Z"
    assert (pending["sources"], pending["sessions"], pending["signals"]) == (0, 0, 1)
    confirmed = ledger.show(claims["reflection: 主人想家"].id).state
    assert (confirmed["reinforcement"], confirmed["rein_last_signal_at"]) == (1.0, "2026-05-01T01:30:00Z")
    assert ledger.show(claims["fact: Owner plays the cello."].id).state["importance"] == 9
    (signal,) = [step for step in ledger.history(claims["reflection: 主人讨厌猫"].id) if step.type == "signal-applied"]
    assert signal.changed["disputation"] == 2.0
    seeds = {stage["stage"]: stage["by"] for stage in ledger.funnel()}["signals applied"]
    assert seeds == {"migration_seed": 13}


def test_what_became_of_what_is_shown_by_why(ledger: affidavit.Ledger, root: Path) -> None:
    load(ledger, root)
    claims = by_text(ledger)
    persona = claims["persona: 主人爱茶，天天喝"]
    for text in ("主人爱茶", "主人每天喝茶"):
        why = ledger.why(claims[f"reflection: {text}"].id)
        assert why.superseded_by == {"id": persona.id, "text": persona.text}
    assert {parent["text"] for parent in ledger.why(persona.id).parents} == {"主人爱茶", "主人每天喝茶"}
    assert ledger.show(claims["fact: 主人喜欢绿茶"].id).superseded_by
    (source,) = ledger.why(claims["persona: 名字: 小天 性格: 活泼"].id).sources
    assert (source.source, source.message, source.role) == ("neko", "persona/agent/card_1", "system")
    assert source.quote == "名字: 小天\n性格: 活泼"


def test_evidence_is_as_old_as_the_memory_or_of_now(ledger: affidavit.Ledger, root: Path) -> None:
    load(ledger, root)
    times = {item.message: item.occurred_at for item in ledger.evidence()}
    assert times["fact/f1"] == "2026-05-01T01:30:00Z"
    assert times["persona/agent/card_1"] == "2026-05-10T00:00:00Z"


def test_the_prompt_shows_what_lives_and_the_card_outside_the_budget(ledger: affidavit.Ledger, root: Path) -> None:
    load(ledger, root)
    text = ledger.prompt().text
    for line in (
        "- 主人爱茶，天天喝",
        "- 名字: 小天 性格: 活泼",
        "- (unconfirmed) 主人爱安静的早晨",
        "- Owner plays the cello.",
    ):
        assert line in text.splitlines()
    for text_gone in ("主人喜欢绿茶", "主人讨厌猫", "主人养过狗", "主人每天喝茶"):
        assert text_gone not in text
    assert ledger.prompt(budget=0).text.splitlines() == ["### Persona", "", "- 名字: 小天 性格: 活泼"]


def test_the_archive_has_them_by_their_day(ledger: affidavit.Ledger, root: Path) -> None:
    load(ledger, root)
    found = {one["text"]: (one["day"], one["shard"]) for one in ledger.archive()}
    assert found == {"主人学法语": ("2026-05-01", "2026-05-01_0001"), "主人养过狗": ("2026-04-20", "2026-04-20_0001")}
    assert ledger.unarchive(by_text(ledger)["reflection: 主人养过狗"].id).events == ("claim-unarchived",)
    assert by_text(ledger)["reflection: 主人养过狗"].status == "pending"


def test_only_what_waits_for_an_answer_is_surfaced(ledger: affidavit.Ledger, root: Path) -> None:
    put(root, "facts.json", [{"id": f"f{n}", "text": f"Fact {n}.", "entity": "master"} for n in range(40)])
    load(ledger, root)
    assert [one.text for one in ledger.surface(seed=bytes(32))] == ["主人爱安静的早晨"]


def test_what_could_not_be_carried_is_counted(ledger: affidavit.Ledger, root: Path) -> None:
    assert load(ledger, root).noise == {
        "cursors.json": 1,
        "persona.json bookkeeping sections": 1,
        "surfaced.json records": 2,
        "parents that the folder holds no more": 2,
    }


# Again, and afterwards


def test_the_same_folder_again_adds_nothing_nor_does_an_extractor(ledger: affidavit.Ledger, root: Path) -> None:
    position = load(ledger, root).position
    again = load(ledger, root)
    assert (again.recorded, again.derived, again.known, again.position) == (0, 0, 13, position)
    moved = root.rename(root.parent / "moved")
    assert load(ledger, moved, format="neko").position == position
    assert ledger.extract().read == 0
    assert ledger.position == position
    before = by_text(ledger)
    ledger.tick()
    assert by_text(ledger) == before


def test_a_folder_that_has_grown_adds_what_is_new(ledger: affidavit.Ledger, root: Path) -> None:
    load(ledger, root)
    more = {"id": "f4", "text": "主人会弹琴", "entity": "master", "created_at": CREATED}
    put(root, "facts.json", [*({**one, "created_at": CREATED} for one in FACTS), more])
    grown = load(ledger, root)
    assert (grown.recorded, grown.derived, grown.known) == (1, 1, 13)


def test_a_text_that_changed_is_a_revision_and_takes_the_place_of_the_old_one(ledger: affidavit.Ledger, root: Path) -> None:
    load(ledger, root)
    put(root, "facts.json", [FACTS[0], FACTS[1], {**FACTS[2], "text": "Owner plays the violin.", "created_at": CREATED}])
    changed = load(ledger, root)
    assert (changed.revised, changed.derived, changed.superseded) == (1, 1, 1)
    assert by_text(ledger)["fact: Owner plays the cello."].status == "superseded"


def test_groups_that_share_a_commit_lose_nothing(
    ledger: affidavit.Ledger, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("affidavit.journal.migrating.GROUP", 2)
    first = next(ledger.migrate(neko.read(root, ZONE).memories, source="neko"))
    assert first.recorded.count
    assert load(ledger, root).known == 2
    assert len(ledger.claims(every=True)) == 13
    assert ledger.why(by_text(ledger)["reflection: 主人爱茶"].id).superseded_by


def test_views_agree_with_the_log_and_the_log_is_clean(ledger: affidavit.Ledger, root: Path) -> None:
    load(ledger, root)
    ledger.prompt()
    ledger.archive()
    load(ledger, root)
    assert all(one.agree for one in ledger.check_views())
    before = by_text(ledger), ledger.prompt().text, ledger.archive()
    ledger.rebuild()
    assert (by_text(ledger), ledger.prompt().text, ledger.archive()) == before
    ledger.rebuild_index()
    assert ledger.verify().clean


def test_two_characters_in_one_scope_are_told_apart_by_their_source(ledger: affidavit.Ledger, root: Path) -> None:
    load(ledger, root, source="tian")
    put(root, "facts.json", [{**FACTS[0], "text": "主人喜欢红茶"}])
    other = load(ledger, root, source="yun")
    assert (other.revised, other.supported, other.superseded) == (0, other.recorded - other.derived, 0)
    assert {item.source for item in ledger.evidence()} == {"tian", "yun"}


def test_a_namespace_is_that_of_every_claim(ledger: affidavit.Ledger, root: Path) -> None:
    load(ledger, root, namespace="old")
    assert {claim.namespace for claim in ledger.claims(every=True)} == {"old"}


# What people decided stands


def test_a_rejected_value_stays_rejected_and_is_told(ledger: affidavit.Ledger, root: Path) -> None:
    ledger.remember("Owner plays the cello.", as_claim=True, extractor=None)
    ledger.reject(by_text(ledger)["fact: Owner plays the cello."].id)
    done = load(ledger, root)
    assert (done.refused, done.derived) == (1, 12)
    (told,) = done.skipped
    assert told["place"] == "facts.json[2]"
    assert told["reason"].startswith("the same sentence as a rejected claim was found")
    assert by_text(ledger)["fact: Owner plays the cello."].status == "denied"
    assert [one["text"] for one in ledger.inbox() if one["class"] == "refused"] == ["Owner plays the cello."]
    assert "cello" not in ledger.prompt().text
    again = load(ledger, root)
    assert (again.refused, again.skipped, again.position) == (0, [], done.position)
    assert ledger.verify().clean


def test_a_migrated_claim_that_is_rejected_does_not_come_back(ledger: affidavit.Ledger, root: Path) -> None:
    load(ledger, root)
    ledger.reject(by_text(ledger)["persona: 主人爱茶，天天喝"].id)
    load(ledger, root)
    assert by_text(ledger)["persona: 主人爱茶，天天喝"].status == "denied"


def test_what_the_user_said_here_keeps_its_counters(ledger: affidavit.Ledger, root: Path) -> None:
    ledger.remember("主人住在里斯本", as_claim=True, extractor=None)
    done = load(ledger, root)
    assert (done.supported, done.derived) == (1, 12)
    claim = by_text(ledger)["fact: 主人住在里斯本"]
    assert (claim.status, len(claim.evidence)) == ("active", 2)


def test_secrets_are_replaced_before_anything_is_written(ledger: affidavit.Ledger, root: Path, tmp_path: Path) -> None:
    put(root, "facts.json", [{"id": "f1", "text": f"My password is {PASSWORD}", "entity": "master"}])
    done = load(ledger, root)
    (secret,) = done.secrets
    assert (secret["place"], secret["kind"], secret["message"]) == ("facts.json[0]", "password", "fact/f1")
    assert by_text(ledger)["fact: My password is [secret: password]"].live
    ledger.prompt()
    kept = b"".join(path.read_bytes() for path in (tmp_path / "ledger").rglob("*") if path.is_file())
    assert PASSWORD.encode() not in kept
    assert load(ledger, root).position == done.position


# Spoilt folders


def test_a_spoilt_file_costs_itself_and_comes_in_when_it_is_mended(ledger: affidavit.Ledger, root: Path) -> None:
    whole = (root / "facts.json").read_text(encoding="utf-8")
    put(root, "facts.json", whole[:-20])
    done = load(ledger, root)
    assert [one["place"] for one in done.skipped] == ["facts.json"]
    assert done.recorded == 10
    put(root, "facts.json", whole)
    mended = load(ledger, root)
    assert (mended.recorded, mended.known, mended.skipped) == (3, 10, [])
    assert len(ledger.claims(every=True)) == 13
    assert ledger.why(by_text(ledger)["fact: 主人喜欢绿茶"].id).superseded_by


def test_the_command_tells_places_counts_and_what_is_not_carried(root: Path, tmp_path: Path) -> None:
    kept = tmp_path / "ledger"
    assert run("init", "--ledger", kept, "--scope", "ana", "--time-zone", ZONE)[0] == 0
    code, out, err = run("import", root, "--ledger", kept)
    assert (code, out.strip()) == (0, "ana: 13 recorded, 13 derived, 6 left out; position 43")
    assert f"{root}: not carried: surfaced.json records (2)" in err
    put(root, "facts.json", [{"id": "f8", "text": " "}, {"id": "f7", "text": "Owner sings.", "importance": "high"}])
    code, out, err = run("import", root, "--ledger", kept, "--json")
    (done,) = json.loads(out)["imported"]
    assert (code, [one["place"] for one in done["skipped"]]) == (1, ["facts.json[0]", "facts.json[1].importance"])
    assert f"{root}/facts.json[1].importance: importance is 'high'" in err
    assert "; skipped" not in err


def test_a_folder_of_another_kind_is_refused(ledger: affidavit.Ledger, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(affidavit.BadInput, match="neko"):
        ledger.import_file(tmp_path / "empty")
    with pytest.raises(affidavit.BadInput, match="none of the files of"):
        ledger.import_file(tmp_path / "empty", format="neko")
    with pytest.raises(affidavit.BadInput, match="there is no such file"):
        ledger.import_file(tmp_path / "empty", format="chat")
    assert ledger.scopes()[0].records == 3


@pytest.mark.row("N18")
def test_a_flat_archive_of_seven_over_three_days_is_three_shards_and_again_nothing(
    ledger: affidavit.Ledger, tmp_path: Path
) -> None:
    root = tmp_path / "flat"
    root.mkdir()
    days = ["2026-04-01T10:00:00"] * 3 + ["2026-04-02T10:00:00"] * 3 + ["2026-04-05T10:00:00"]
    flat = [
        {"id": f"r{number}", "text": f"主人第{number}次出门", "status": "archived", "entity": "master", "archived_at": day}
        for number, day in enumerate(days)
    ]
    put(root, "reflections.json", [])
    put(root, "reflections_archive.json", flat)
    before = (root / "reflections_archive.json").read_bytes()
    load(ledger, root)
    shards = [one["shard"] for one in ledger.archive()]
    assert {shard: shards.count(shard) for shard in shards} == {
        "2026-04-01_0001": 3,
        "2026-04-02_0001": 3,
        "2026-04-05_0001": 1,
    }
    position = ledger.position
    again = load(ledger, root)
    assert (again.recorded, again.derived, ledger.position) == (0, 0, position)
    assert (root / "reflections_archive.json").read_bytes() == before
