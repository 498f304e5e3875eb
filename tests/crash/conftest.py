"""What the crash tests share: a folder where a sync costs nothing, because the kit itself decides what is durable."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

MEMORY = Path("/dev/shm")


@pytest.fixture
def fast(tmp_path: Path) -> Iterator[Path]:
    """Returns an empty folder in memory, or on disk where there is none."""
    if not MEMORY.is_dir():
        yield tmp_path
        return
    with TemporaryDirectory(dir=MEMORY, prefix="affidavit-") as folder:
        yield Path(folder)
