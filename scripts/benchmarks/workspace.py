"""Where a run works: a temporary folder, the size of the run, and the ledgers that several sections share."""

from dataclasses import dataclass, field
from pathlib import Path

from affidavit.scripts.benchmarks.measure import Size, alone
from affidavit.scripts.benchmarks.synthetic import Built, build


@dataclass(frozen=True, slots=True)
class Made:
    """A synthetic ledger: its folder, its shape, and what building it told."""

    folder: Path
    claims: int
    events: float
    built: Built


@dataclass(slots=True)
class Workspace:
    """The temporary folder of a run, and its size."""

    folder: Path
    size: Size
    _ledgers: dict[str, Made] = field(default_factory=dict)

    def many_events(self) -> Made:
        """Returns the ledger of few claims with many events: at full size 20,000 claims with 50 events each."""
        return self.ledger("many-events", self.size.of(20_000, 300), 50 if self.size.scale else 20)

    def many_claims(self) -> Made:
        """Returns the ledger of many claims with few events: at full size 400,000 claims with 2.5 events each."""
        return self.ledger("many-claims", self.size.of(400_000, 800), 2.5)

    def ledger(self, name: str, claims: int, events: float) -> Made:
        """Returns a synthetic ledger, built when it is first asked for, in a process of its own."""
        if name not in self._ledgers:
            folder = self.folder / name
            self._ledgers[name] = Made(folder, claims, events, alone(build, folder, claims, events, min(claims, 5000)))
        return self._ledgers[name]
