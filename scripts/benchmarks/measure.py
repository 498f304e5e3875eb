"""How things are measured: CPU seconds of this process, medians, peak memory, and rows that say what was found.

Wall time depends on who else is at work, so only CPU time is compared, and only within one run.
"""

import resource
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Size:
    """How much is measured: the full numbers times `scale`, never less than each thing's own least; `runs` of each."""

    scale: float = 1.0
    runs: int = 5

    def of(self, full: int, least: int = 1) -> int:
        """Returns a full number, scaled."""
        return max(least, round(full * self.scale))


QUICK = Size(scale=0.0, runs=1)
"""Everything at its least."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table: our figure, the reference's, their ratio, and the target. Empty is what does not apply."""

    name: str
    ours: str
    reference: str = ""
    ratio: str = ""
    target: str = ""
    met: bool | None = None


@dataclass(slots=True)
class Section:
    """The lines of one section, and what should be said below them."""

    name: str
    about: str
    rows: list[Row] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def figure(self, name: str, ours: str, reference: str = "") -> None:
        """Adds a figure without a target."""
        self.rows.append(Row(name, ours, reference))

    def cost(self, name: str, ours: float, reference: float, *, unit: str = "us", target: float | None = None) -> None:
        """Adds a cost beside the reference's, in seconds a piece; the ratio should be at most `target`."""
        factor = {"us": 1e6, "ms": 1e3, "s": 1.0}[unit]
        ratio = ours / reference if reference else 0.0
        wanted = "" if target is None else f"<= {target:g}x"
        met = None if target is None else ratio <= target
        shown = (f"{ours * factor:,.1f} {unit}", f"{reference * factor:,.1f} {unit}")
        self.rows.append(Row(name, *shown, f"{ratio:.2f}x", wanted, met))

    def speedup(self, name: str, ours: float, reference: float, *, target: float) -> None:
        """Adds a cost a piece, in seconds, that should be `target` times less than the reference's."""
        ratio = reference / ours
        shown = (f"{ours * 1e6:,.1f} us", f"{reference * 1e6:,.1f} us")
        self.rows.append(Row(name, *shown, f"{ratio:.1f}x less", f">= {target:g}x less", ratio >= target))

    def rate(self, name: str, ours: float, *, unit: str, target: float | None = None) -> None:
        """Adds a rate a CPU-second; it should be at least `target`."""
        wanted = "" if target is None else f">= {target:,.0f}"
        self.rows.append(Row(name, f"{ours:,.0f} {unit}", "", "", wanted, None if target is None else ours >= target))

    def most(self, name: str, ours: float, *, unit: str, target: float | None = None) -> None:
        """Adds an amount that should be at most `target`."""
        wanted = "" if target is None else f"<= {target:g} {unit}"
        self.rows.append(Row(name, f"{ours:,.2f} {unit}", "", "", wanted, None if target is None else ours <= target))


def cpu(work: Callable[[], object]) -> float:
    """Returns the CPU seconds that a piece of work took in this process."""
    begin = time.process_time()
    work()
    return time.process_time() - begin


def middle(runs: Sequence[float]) -> float:
    """Returns the median."""
    return median(runs)


def percentile(runs: Sequence[float], part: float) -> float:
    """Returns the value below which this part of the runs lies."""
    ordered = sorted(runs)
    return ordered[min(len(ordered) - 1, int(len(ordered) * part))]


def memory() -> float:
    """Returns this process's own peak of resident memory in MB; `ru_maxrss` would begin with that of its parent."""
    status = Path("/proc/self/status")
    if status.exists():
        peak = next((line for line in status.read_text().splitlines() if line.startswith("VmHWM:")), "")
        if peak:
            return int(peak.split()[1]) / 1000
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


def alone(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Returns what `work` returns in a process of its own, which has loaded `children` and done nothing before."""
    context = get_context("forkserver")
    context.set_forkserver_preload(["affidavit.scripts.benchmarks.children"])
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        return pool.submit(work, *args, **kwargs).result()


def table(sections: Sequence[Section]) -> str:
    """Returns the sections as text: one table each, in Markdown."""
    blocks = []
    for section in sections:
        lines = [f"## {section.name}: {section.about}", ""]
        cells = [("what", "ours", "reference", "ratio", "target", "met")]
        cells += [(row.name, row.ours, row.reference, row.ratio, row.target, _met(row.met)) for row in section.rows]
        widths = [max(len(line[column]) for line in cells) for column in range(len(cells[0]))]
        padded = [f"| {' | '.join(map(str.ljust, line, widths))} |" for line in cells]
        rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
        lines += [padded[0], rule, *padded[1:]]
        lines += [f"\n{note}" for note in section.notes]
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


def _met(met: bool | None) -> str:  # noqa: FBT001 - a cell's content
    return "" if met is None else "yes" if met else "NO"
