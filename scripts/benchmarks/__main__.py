"""The command behind scripts/bench: measures, and prints a table for each section. It never fails for a slow figure."""

import argparse
import platform
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from affidavit.scripts.benchmarks.measure import QUICK, Section, Size, table

if TYPE_CHECKING:
    from affidavit.scripts.benchmarks.workspace import Workspace

_HOME = "affidavit.scripts.benchmarks"
SECTIONS = {
    "append": ("appending", "append_section"),
    "import": ("appending", "import_section"),
    "locality": ("appending", "locality_section"),
    "rebuild": ("reading", "rebuild_section"),
    "as-of": ("reading", "as_of_section"),
    "verify": ("reading", "verify_section"),
    "reads": ("reading", "reads_section"),
    "verbs": ("reading", "verbs_section"),
    "extraction": ("reading", "extraction_section"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the sections that are asked for; returns 0 if they could be measured."""
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="the same code, scaled down to seconds")
    parser.add_argument("--scale", type=float, default=1.0, metavar="PART", help="a part of the full numbers, such as 0.1")
    parser.add_argument("--only", choices=SECTIONS, metavar="NAME", help=f"one section: {', '.join(SECTIONS)}")
    parser.add_argument("--profile", action="store_true", help="print where the time goes instead of the table")
    asked = parser.parse_args(arguments)
    size = QUICK if asked.quick else Size(asked.scale)
    command = " ".join(["scripts/bench", *(sys.argv[1:] if arguments is None else arguments)])
    print(
        f"{command}\nPython {platform.python_version()}, SQLite {sqlite3.sqlite_version}, {platform.machine()}\n", flush=True
    )
    with tempfile.TemporaryDirectory(prefix="affidavit-bench-") as folder:
        work: Workspace = import_module(f"{_HOME}.workspace").Workspace(Path(folder), size)
        if asked.profile:
            import_module(f"{_HOME}.profiles").run(work)
            return 0
        for name in [asked.only] if asked.only else SECTIONS:
            module, function = SECTIONS[name]
            measure: Callable[[Workspace], Section] = getattr(import_module(f"{_HOME}.{module}"), function)
            begin = time.perf_counter()
            print(table([measure(work)]), flush=True)
            print(f"\n{name} took {time.perf_counter() - begin:.0f} s\n", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
