"""What the machine says of itself: its time zone."""

import os
from pathlib import Path
from zoneinfo import available_timezones

_ZONES = "zoneinfo/"


def time_zone() -> str:
    """Returns the machine's IANA time zone, UTC where it does not say."""
    named = os.environ.get("TZ", "").removeprefix(":")
    if named in available_timezones():
        return named
    local = str(Path("/etc/localtime").resolve())
    found = local.partition(_ZONES)[2]
    return found if found in available_timezones() else "UTC"
