"""Time-ordered ids of 16 bytes: eight of the clock, eight random. Random keys would cost three times the CPU."""

import os
import threading
from collections.abc import Callable

from affidavit.journal.keys import Random


class IdSource:
    """Yields ids, each after the one before, whatever the clock does."""

    def __init__(self, clock: Callable[[], int], random: Random = os.urandom) -> None:
        self._clock = clock
        self._random = random
        self._lock = threading.Lock()
        self._last = 0

    def __call__(self) -> bytes:
        """Returns a new id."""
        with self._lock:
            self._last = max(self._clock(), self._last + 1)
            return self._last.to_bytes(8, "big") + self._random(8)
