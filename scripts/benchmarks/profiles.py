"""Where the time goes: the slowest parts under cProfile, in CPU time, by function. A profiler slows short calls most."""

import cProfile
import io
import pstats
import re
import time
from collections.abc import Callable
from functools import partial

from affidavit.journal import verbs
from affidavit.journal.reading import Reader
from affidavit.journal.verify import verify
from affidavit.scripts import bootstrap
from affidavit.scripts.benchmarks.appending import messages, prepared
from affidavit.scripts.benchmarks.synthetic import ACTOR, MAIN, SMALL, append, create
from affidavit.scripts.benchmarks.workspace import Made, Workspace
from affidavit.scripts.ledger import open_ledger

LINES = 14


def run(work: Workspace) -> None:
    """Profiles appending, commands, each view's rebuild, verification, and reads; prints each as it is found."""
    _appending(work)
    for made in (work.many_events(), work.many_claims()):
        _rebuilding(made)
    with open_ledger(work.many_events().folder, scope=MAIN) as ledger:
        small = ledger.at(SMALL)
        ids = [claim.id for claim in ledger.claims(every=True)][:100]
        small.prompt()
        ledger.why(ids[0])
        _profile("why, 100 calls", lambda: [ledger.why(one) for one in ids])
        _profile("history, 100 calls", lambda: [ledger.history(one) for one in ids])
        _profile("prompt of a scope of 200 claims, 100 calls", lambda: [small.prompt() for _ in ids])


def _rebuilding(made: Made) -> None:
    opened = bootstrap.store(made.folder)
    shape = f"{made.claims:,} claims x {made.events:g} events"
    with opened.datastore.read() as connection:
        reader = Reader(connection, opened.vault)
        for kind in bootstrap.PROJECTIONS:
            _profile(f"rebuild of {kind.name}, {shape}", partial(opened.views.rebuild, kind(), reader))
    _profile(f"verify, {shape}", partial(verify, opened.datastore, opened.vault))
    opened.datastore.close()


def _appending(work: Workspace) -> None:
    number = work.size.of(20_000, 2_000)
    opened, (maker,) = create(work.folder / "profiled", "main")
    maker.keys_for(number)
    given = prepared(maker, number)
    opened.vault.keys.commit()

    def all_of_it() -> None:
        for first in range(0, number, 1000):
            append(opened, given[first : first + 1000], indexed=False)

    _profile(f"append of {number:,} prepared records, 1,000 a transaction", all_of_it)
    log = opened.log()
    said = messages(work.size.of(5_000, 500))

    def record() -> None:
        for first in range(0, len(said), 100):
            for _ in verbs.record(log, maker.scope, said[first : first + 100], ACTOR):
                pass

    _profile(f"{len(said):,} messages recorded, 100 a commit", record)
    opened.datastore.close()


def _profile(name: str, work: Callable[[], object]) -> None:
    profile = cProfile.Profile(time.process_time)
    profile.enable()
    work()
    profile.disable()
    out = io.StringIO()
    stats = pstats.Stats(profile, stream=out).sort_stats("tottime")
    stats.print_stats(LINES)
    lines = out.getvalue().splitlines()
    first = next(at for at, line in enumerate(lines) if line.lstrip().startswith("ncalls"))
    kept = [re.sub(r"[^\s()]*/(?=[\w]+/[\w]+\.py)", "", line) for line in lines[first:] if line.strip()]
    print(f"### {name}\n\n```\n" + "\n".join(kept) + "\n```\n", flush=True)
