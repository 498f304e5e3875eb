"""What the tests of the loops share: a world whose loops live on, and one that begins anew at every tick."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from mechanism import World


@pytest.fixture(params=[True, False], ids=["kept", "restarted"])
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    """Returns a world; what its loops do must not depend on how long they have lived."""
    world = World(tmp_path / "ledger", kept=request.param)
    with world.ledger:
        yield world
