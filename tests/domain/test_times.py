"""Times are whole microseconds inside, aware ISO 8601 outside; nothing has a negative age."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from affidavit.domain.times import DAY, SECOND, age_days, iso, local_day, parse_time, to_datetime, to_micros

MOMENTS = st.integers(to_micros(datetime(2, 1, 2, tzinfo=UTC)), to_micros(datetime(9998, 12, 30, tzinfo=UTC)))


@given(MOMENTS)
def test_a_moment_survives_text_and_datetime(micros: int) -> None:
    assert to_micros(to_datetime(micros)) == micros
    assert parse_time(iso(micros), "Asia/Tokyo") == (micros, False)


@pytest.mark.parametrize(
    ("text", "zone", "same", "assumed"),
    [
        ("2026-11-30T21:00:00Z", "Asia/Tokyo", "2026-11-30T21:00:00Z", False),
        ("2026-11-30T21:00:00+09:00", "UTC", "2026-11-30T12:00:00Z", False),
        ("2026-11-30T21:00:00", "Asia/Tokyo", "2026-11-30T12:00:00Z", True),
        ("2026-11-30", "Europe/Lisbon", "2026-11-30T00:00:00Z", True),
        ("2026-07-01", "Europe/Lisbon", "2026-06-30T23:00:00Z", True),
        ("2026-11-30 21:00:00.000001", "UTC", "2026-11-30T21:00:00.000001Z", True),
    ],
)
def test_a_naive_time_is_read_in_the_zone_and_said_to_be_assumed(text: str, zone: str, same: str, assumed: bool) -> None:
    micros, put_in = parse_time(text, zone)
    assert (iso(micros), put_in) == (same, assumed)


@pytest.mark.parametrize("text", ["", "yesterday", "30.11.2026", "2026-13-01", "2026-11-30T25:00:00"])
def test_anything_else_is_no_time(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_time(text, "UTC")


@pytest.mark.parametrize("text", ["0001-01-01T00:00:00+14:00", "0001-06-01", "9999-12-31T23:59:59-12:00"])
def test_a_year_at_either_end_of_the_calendar_is_named(text: str) -> None:
    with pytest.raises(ValueError, match=r"the year \d+ is not within 2 to 9998"):
        parse_time(text, "UTC")


@pytest.mark.parametrize(("zone", "day"), [("UTC", "2026-11-30"), ("Asia/Tokyo", "2026-12-01")])
def test_a_day_is_the_scopes_local_day(zone: str, day: str) -> None:
    assert local_day(parse_time("2026-11-30T21:00:00Z", "UTC")[0], zone) == day


@pytest.mark.parametrize(("since", "now", "days"), [(None, 5, 0), (5, 5, 0), (DAY, 0, 0), (0, DAY, 1), (0, DAY // 2, 0.5)])
def test_a_missing_or_future_time_has_no_age(since: int | None, now: int, days: float) -> None:
    assert age_days(since, now) == days


def test_a_second_is_a_million() -> None:
    assert iso(SECOND) == "1970-01-01T00:00:01Z"
