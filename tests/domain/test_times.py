"""Times are whole microseconds inside, aware ISO 8601 outside; nothing has a negative age."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from affidavit.domain.times import DAY, SECOND, age_days, iso, local_day, parse_time, shifted, to_datetime, to_micros

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


# Calendar steps


def moved(text: str, amount: int, unit: str, zone: str = "UTC") -> str:
    return iso(shifted(parse_time(text, zone)[0], amount, unit, zone))


@pytest.mark.parametrize(
    ("text", "amount", "unit", "then"),
    [
        ("2026-11-30T21:00:00Z", 90, "minute", "2026-11-30T22:30:00Z"),
        ("2026-11-30T21:00:00Z", -22, "hour", "2026-11-29T23:00:00Z"),
        ("2026-11-30T21:00:00Z", 1, "day", "2026-12-01T21:00:00Z"),
        ("2026-11-30T21:00:00Z", -2, "week", "2026-11-16T21:00:00Z"),
        ("2026-11-30T21:00:00Z", 0, "month", "2026-11-30T21:00:00Z"),
        ("2026-11-30T21:00:00.000001Z", 1, "month", "2026-12-30T21:00:00.000001Z"),
        ("2026-11-30T21:00:00Z", 2, "month", "2027-01-30T21:00:00Z"),
        ("2026-11-30T21:00:00Z", 3, "month", "2027-02-28T21:00:00Z"),
        ("2026-01-15T21:00:00Z", -1, "month", "2025-12-15T21:00:00Z"),
        ("2026-01-15T21:00:00Z", -13, "month", "2024-12-15T21:00:00Z"),
        ("2026-03-31T21:00:00Z", -1, "month", "2026-02-28T21:00:00Z"),
        ("2024-01-31T21:00:00Z", 1, "month", "2024-02-29T21:00:00Z"),
        ("2024-02-29T21:00:00Z", 1, "year", "2025-02-28T21:00:00Z"),
        ("2024-02-29T21:00:00Z", -4, "year", "2020-02-29T21:00:00Z"),
        ("2024-02-29T21:00:00Z", -124, "year", "1900-02-28T21:00:00Z"),
    ],
)
def test_a_moment_is_moved_by_units_and_a_day_the_month_has_not_is_its_last(
    text: str, amount: int, unit: str, then: str
) -> None:
    assert moved(text, amount, unit) == then


@pytest.mark.parametrize(
    ("text", "amount", "unit", "zone", "then"),
    [
        # A month later it is the same hour on the wall, whatever summer time did; a day is 24 hours.
        ("2026-03-15T12:00:00", 1, "month", "Europe/Lisbon", "2026-04-15T11:00:00Z"),
        ("2026-03-28T12:00:00", 1, "day", "Europe/Lisbon", "2026-03-29T12:00:00Z"),
        ("2026-10-15T12:00:00", 1, "month", "Europe/Lisbon", "2026-11-15T12:00:00Z"),
        # An hour that the day skips is read as if the clocks had not moved yet; of one that it has twice, the first.
        ("2026-02-28T01:30:00", 1, "month", "Europe/Lisbon", "2026-03-28T01:30:00Z"),
        ("2026-02-28T02:30:00", 1, "month", "Europe/Berlin", "2026-03-28T01:30:00Z"),
        ("2025-03-29T02:30:00", 1, "year", "Europe/Berlin", "2026-03-29T01:30:00Z"),
        ("2025-10-25T02:30:00", 1, "year", "Europe/Berlin", "2026-10-25T00:30:00Z"),
        # The last of the month in Tokyo is still the day before in Greenwich.
        ("2026-01-31T01:00:00", 1, "month", "Asia/Tokyo", "2026-02-27T16:00:00Z"),
    ],
)
def test_months_are_those_of_the_zone(text: str, amount: int, unit: str, zone: str, then: str) -> None:
    assert moved(text, amount, unit, zone) == then


@pytest.mark.parametrize("unit", ["minute", "hour", "day", "week", "month", "year"])
@pytest.mark.parametrize("sign", [1, -1])
def test_a_moment_beyond_the_calendar_is_named(unit: str, sign: int) -> None:
    with pytest.raises(ValueError, match=f"{unit}s from there is beyond the calendar"):
        shifted(0, sign * 10**10, unit, "UTC")


@given(MOMENTS, st.integers(-10_000, 10_000), st.sampled_from(["minute", "hour", "day", "week", "month", "year"]))
def test_a_moved_moment_is_within_the_calendar_and_on_the_right_side(micros: int, amount: int, unit: str) -> None:
    try:
        then = shifted(micros, amount, unit, "Europe/Lisbon")
    except ValueError as error:
        assert "beyond the calendar" in str(error)
    else:
        assert (then > micros) - (then < micros) == (amount > 0) - (amount < 0)
        assert local_day(then, "Asia/Tokyo")


@given(MOMENTS, st.integers(-400, 400))
def test_years_are_twelve_months(micros: int, years: int) -> None:
    def by(amount: int, unit: str) -> int | str:
        try:
            return shifted(micros, amount, unit, "Europe/Lisbon")
        except ValueError:
            return "beyond"

    assert by(years, "year") == by(12 * years, "month")
