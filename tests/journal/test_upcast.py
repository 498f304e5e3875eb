"""Old events are read in the newest shape; the log keeps them as they were written."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from extractors import Plain

import affidavit
from affidavit.journal import upcast
from affidavit.journal.reading import FIELDS, ClaimFields, Entry, Reader, entry
from affidavit.journal.upcast import Fields
from affidavit.projections.active import Active

OLD, OLDER = "claim-derived.v1", "test-only.v0"


@pytest.fixture
def two_steps() -> Iterator[None]:
    """Makes today's derivation an old type, two versions behind a test-only one that keeps the extractor's name apart."""

    @upcast.upcaster(OLD, "test-only.v2")
    def split_extractor(fields: Fields) -> Fields:
        fields["extractor"] = fields["extractor"].partition("@")[0]
        return fields

    @upcast.upcaster("test-only.v2", "test-only.v3")
    def shout(fields: Fields) -> Fields:
        fields["extractor"] = fields["extractor"].upper()
        return fields

    kind = FIELDS.pop(OLD)
    FIELDS["test-only.v3"] = kind
    yield
    FIELDS[OLD] = FIELDS.pop("test-only.v3")
    upcast.forget(OLD)
    upcast.forget("test-only.v2")


def derived(folder: Path) -> tuple[bytes, Entry]:
    with affidavit.open(folder) as ledger, ledger.snapshot() as at:
        for record in at.reader.entries():
            if record.body.type == OLD:
                return record.record.body, entry(record.record)
    raise AssertionError("nothing was derived")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with affidavit.init(tmp_path / "ledger", scope="ana") as ledger:
        ledger.remember("I like tea", extractor=Plain())
    return tmp_path / "ledger"


def test_an_old_type_is_read_as_the_newest_one_step_by_step(folder: Path, two_steps: None) -> None:
    stored, read = derived(folder)
    assert read.type == "test-only.v3"
    assert isinstance(read.fields, ClaimFields)
    assert read.fields.extractor == "PLAIN"
    assert b"plain@1" in stored


def test_views_and_verification_read_an_old_log(folder: Path, two_steps: None) -> None:
    with affidavit.open(folder) as ledger:
        assert [claim.text for claim in ledger.claims()] == ["User likes tea."]
        assert Active().name in ledger.status().views
        faults = ledger.verify().faults
    assert {fault.kind for fault in faults} <= {"index"}


def test_a_type_has_one_step(two_steps: None) -> None:
    with pytest.raises(ValueError, match="has an upcaster already"):
        upcast.upcaster(OLD, "x.v9")(dict)


def test_upcasting_leaves_the_given_fields_alone(two_steps: None) -> None:
    fields: Fields = {"extractor": "plain@1"}
    assert upcast.upcast(OLD, fields) == ("test-only.v3", {"extractor": "PLAIN"})
    assert fields == {"extractor": "plain@1"}


def test_an_unknown_type_stops_the_read_with_its_position(folder: Path) -> None:
    kind = FIELDS.pop(OLD)
    try:
        with affidavit.open(folder) as ledger, ledger.snapshot() as at, pytest.raises(affidavit.IntegrityFault) as fault:
            list(at.reader.entries())
    finally:
        FIELDS[OLD] = kind
    assert fault.value.position
    assert "no type that this affidavit knows" in str(fault.value)
    assert isinstance(at.reader, Reader)
