"""The floors of extraction quality, on turns that whoever wrote the rules has not seen (tests/quality/GUIDE.md)."""

from pathlib import Path

import pytest
from quality.score import LOCOMO, Turn, load, locomo_folder, score

from affidavit.rebuild.extractors.rules import Rules

FOLDER = Path(__file__).resolve().parents[1] / "quality"
needs_locomo = pytest.mark.skipif(
    locomo_folder() is None,
    reason=f"{LOCOMO} lies neither in AFFIDAVIT_TEST_DATA nor in ../shared/data",
)


def turns(*names: str) -> tuple[Turn, ...]:
    return tuple(turn for name in names for turn in load(FOLDER / f"{name}.jsonl"))


@pytest.mark.parametrize(
    "names",
    [
        pytest.param(("english_held",), id="own English"),
        pytest.param(("english_held", "locomo_held"), id="all English", marks=needs_locomo),
        pytest.param(("chinese_held",), id="Chinese"),
        pytest.param(("english_held", "locomo_held", "chinese_held"), id="all", marks=needs_locomo),
    ],
)
def test_held_out_turns_meet_the_floors(names: tuple[str, ...]) -> None:
    result = score(Rules(), turns(*names))
    assert result.precision >= 0.85, result
    assert result.recall >= 0.5, result


@needs_locomo
def test_random_turns_meet_the_floor_of_precision() -> None:
    result = score(Rules(), turns("locomo_draw"))
    assert result.precision >= 0.7, result
