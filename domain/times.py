"""Times: integer microseconds since 1970 UTC inside, aware ISO 8601 text outside.

A naive time is read in the scope's zone and said to be assumed. Ages are never negative: a clock that stands still or
moves back makes nothing older. A calendar day is the scope's local day.
"""

from calendar import monthrange
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

SECOND = 1_000_000
DAY = 86_400 * SECOND
EARLIEST_YEAR, LATEST_YEAR = 2, 9998
"""A year less at both ends than the calendar has, so that every moment has a local day in every zone."""
_UNITS = {"minute": 60 * SECOND, "hour": 3600 * SECOND, "day": DAY, "week": 7 * DAY}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
FIRST_MOMENT = (datetime(EARLIEST_YEAR, 1, 1, tzinfo=UTC) - _EPOCH) // _MICROSECOND
LAST_MOMENT = (datetime(LATEST_YEAR + 1, 1, 1, tzinfo=UTC) - _EPOCH) // _MICROSECOND - 1


def to_micros(moment: datetime) -> int:
    """Returns an aware datetime as microseconds since 1970 UTC."""
    return (moment - _EPOCH) // _MICROSECOND


def to_datetime(micros: int) -> datetime:
    """Returns microseconds since 1970 as an aware UTC datetime."""
    return _EPOCH + timedelta(microseconds=micros)


def iso(micros: int) -> str:
    """Returns `2026-11-30T21:00:00Z`, with microseconds only where there are some."""
    return to_datetime(micros).isoformat().replace("+00:00", "Z")


def parse_time(text: str, zone: str) -> tuple[int, bool]:
    """Reads an ISO 8601 time; returns (microseconds, assumed), where assumed says that `zone` was put in.

    A date alone is midnight. Raises ValueError for anything else.
    """
    moment = datetime.fromisoformat(text)
    if not EARLIEST_YEAR <= moment.year <= LATEST_YEAR:
        msg = f"the year {moment.year} is not within {EARLIEST_YEAR} to {LATEST_YEAR}"
        raise ValueError(msg)
    assumed = moment.tzinfo is None
    if assumed:
        moment = moment.replace(tzinfo=ZoneInfo(zone))
    return to_micros(moment.astimezone(UTC)), assumed


def local_day(micros: int, zone: str) -> str:
    """Returns the calendar day `YYYY-MM-DD` of a moment in a zone."""
    return to_datetime(micros).astimezone(ZoneInfo(zone)).date().isoformat()


def shifted(micros: int, amount: int, unit: str, zone: str) -> int:
    """Returns a moment so many units later, or earlier where the amount is negative.

    Months and years are those of the zone's calendar: a day that the month has not is its last one. Raises ValueError
    where that is beyond the calendar.
    """
    if unit not in {"month", "year"}:
        moved = micros + amount * _UNITS[unit]
        if not FIRST_MOMENT <= moved <= LAST_MOMENT:
            msg = f"{amount} {unit}s from there is beyond the calendar"
            raise ValueError(msg)
        return moved
    local = to_datetime(micros).astimezone(ZoneInfo(zone))
    months = local.year * 12 + local.month - 1 + amount * (12 if unit == "year" else 1)
    year, month = divmod(months, 12)
    if not EARLIEST_YEAR <= year <= LATEST_YEAR:
        msg = f"{amount} {unit}s from there is beyond the calendar"
        raise ValueError(msg)
    day = min(local.day, monthrange(year, month + 1)[1])
    return to_micros(local.replace(year=year, month=month + 1, day=day).astimezone(UTC))


def age_days(since: int | None, now: int) -> float:
    """Returns the age in days, 0 for a missing or future time (seed 000: missing timestamps have age zero)."""
    if since is None or since >= now:
        return 0.0
    return (now - since) / DAY
