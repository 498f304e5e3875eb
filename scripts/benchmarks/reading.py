"""Reading: views rebuilt and as of the past, verification, answers, and extraction."""

import json
from pathlib import Path

from affidavit.domain.messages import Message
from affidavit.domain.proposals import Extractor
from affidavit.journal.reading import EvidenceState
from affidavit.rebuild.extraction import Unread, read
from affidavit.scripts import bootstrap
from affidavit.scripts.benchmarks.children import (
    build_as_of,
    fold_every,
    fold_naively,
    read_only,
    rebuild,
    time_reads,
    time_verbs,
    verify_chain,
    verify_deep,
)
from affidavit.scripts.benchmarks.measure import QUICK, Section, alone, cpu, percentile
from affidavit.scripts.benchmarks.synthetic import MAIN, SMALL, SMALL_CLAIMS
from affidavit.scripts.benchmarks.workspace import Workspace
from affidavit.scripts.ledger import init

NAIVE_SAMPLE = 100_000
"""How many events the naive fold reads at most; its cost an event does not change after."""
CONVERSATION = Path(bootstrap.__file__).with_name("demo_conversation.jsonl")


def rebuild_section(work: Workspace) -> Section:
    """Measures the rebuild of each view in both shapes of a ledger."""
    section = Section("rebuild", "each view built anew into its file, in a process of its own; the naive fold builds none")
    for made in (work.many_events(), work.many_claims()):
        many = made.events >= 3
        shape = f"{made.claims:,} claims x {made.events:g} events"
        naive = alone(fold_naively, made.folder, NAIVE_SAMPLE)
        each = naive.cpu / naive.count
        whole = alone(fold_every, made.folder)
        views = {kind.name: alone(rebuild, made.folder, kind.name) for kind in bootstrap.PROJECTIONS}
        events = made.built.position
        active = views["active"]
        section.figure(f"{shape}: naive fold, events a CPU-second", f"{1 / each:,.0f}")
        section.speedup(f"{shape}: active, an event", active.cpu / events, each, target=25 if many else 4)
        section.most(f"{shape}: active, a claim", active.cpu / made.claims * 1e6, unit="us", target=75 if many else 50)
        section.speedup(f"{shape}: every event read and folded, an event", whole.cpu / events, each, target=6)
        for name, spent in views.items():
            if name != "active":
                section.rate(f"{shape}: {name}, events a CPU-second", events / spent.cpu, unit="events")
        total = sum(spent.cpu for spent in views.values())
        section.rate(f"{shape}: all views together, events a CPU-second", events / total, unit="events", target=100_000)
        for name, spent in views.items():
            section.most(f"{shape}: {name}, peak memory", spent.memory, unit="MB", target=300 if name == "active" else None)
    section.notes.append(
        "Naive: the library's `select_notifications` in pages of 500, msgpack, one pydantic model an event, the last state "
        f"of each stream in a dictionary; up to {NAIVE_SAMPLE:,} events are timed. 75 us a claim is 1.5 s for 20,000 claims."
    )
    return section


# -- as of -------------------------------------------------------------------------------------------------------------


def as_of_section(work: Workspace) -> Section:
    """Measures each view as of an earlier position against its build at the head, both in memory."""
    section = Section("as-of", "each view built as of a part of the log, against its build at the head")
    smaller = work.ledger("as-of", work.size.of(4_000, 100), 25)
    runs = 1 if work.size == QUICK else 3
    for view, costs in alone(build_as_of, smaller.folder, (1.0, 0.99, 0.5, 0.1), runs).items():
        for part, spent in list(costs.items())[1:]:
            name = f"{view} as of {part:.0%} of {smaller.built.position:,} records"
            section.cost(name, spent, costs[1.0], unit="ms", target=2)
    return section


# -- verify ------------------------------------------------------------------------------------------------------------


def verify_section(work: Workspace) -> Section:
    """Measures verification of the chain alone and of everything."""
    section = Section("verify", "events a CPU-second, in a process of its own")
    for made in (work.many_events(), work.many_claims()):
        shape = f"{made.claims:,} claims x {made.events:g} events"
        plain, chain, deep = (alone(work_, made.folder) for work_ in (read_only, verify_chain, verify_deep))
        section.rate(f"{shape}: bodies only read", plain.count / plain.cpu, unit="events")
        section.rate(f"{shape}: chain", chain.count / chain.cpu, unit="events", target=350_000)
        section.rate(f"{shape}: deep (`verify`)", deep.count / deep.cpu, unit="events", target=180_000)
        section.most(f"{shape}: chain, peak memory", chain.memory, unit="MB", target=100)
        section.most(f"{shape}: deep, peak memory", deep.memory, unit="MB", target=100)
    section.notes.append(
        "Deep is `affidavit verify`: bodies, links, versions, every sealed text opened, the decision index built anew, "
        "SQLite's own structures. Chain is `affidavit verify --chain`: digests, links and the remembered head alone."
    )
    return section


# -- reads -------------------------------------------------------------------------------------------------------------


def reads_section(work: Workspace) -> Section:
    """Measures answers, each a whole call of the Python API on warm views."""
    made = work.many_events()
    section = Section(
        "reads", f"whole calls of the Python API, views warm, {made.claims:,} claims of {made.events:g} events"
    )
    calls = work.size.of(200, 15)
    for name, runs in alone(time_reads, made.folder, MAIN, SMALL, calls).items():
        target = 1.5 if name.startswith(f"prompt of {SMALL_CLAIMS} rows") else None
        section.figure(f"{name}: p50", f"{percentile(runs, 0.5) * 1e3:,.2f} ms")
        section.most(f"{name}: p95", percentile(runs, 0.95) * 1e3, unit="ms", target=target)
    return section


# -- verbs -------------------------------------------------------------------------------------------------------------


def verbs_section(work: Workspace) -> Section:
    """Measures each verb that judges a claim, in one scope with a short history and with one ten times as long."""
    claims = work.size.of(20_000, 300)
    section = Section("verbs", f"whole calls of the Python API, one scope of {claims:,} claims: median CPU of a call")
    calls = work.size.of(40, 3)
    short, long = (
        alone(time_verbs, work.ledger(f"verbs-{events}", claims, events).folder, MAIN, calls) for events in (4, 40)
    )
    for name, runs in long.items():
        ours, before = percentile(runs, 0.5), percentile(short[name], 0.5)
        section.most(f"{name}, 40 events a claim", ours * 1e3, unit="ms", target=50)
        section.cost(f"{name}, against 4 events a claim", ours, before, unit="ms", target=2)
    return section


# -- extraction --------------------------------------------------------------------------------------------------------


def extraction_section(work: Workspace) -> Section:
    """Measures the rules extractor on the demo's conversation, alone and with everything that becomes of its answers."""
    section = Section("extraction", "the rules extractor, on the turns of the demo's conversation, English and Chinese")
    times = work.size.of(30, 2)
    turns = [json.loads(line) for line in CONVERSATION.read_text(encoding="utf-8").splitlines()]
    turns = [turn for turn in turns if turn["role"] == "user"] * times
    extractor = bootstrap.extractor("rules")
    unread = [_unread(turn["text"]) for turn in turns]
    _read_all(extractor, unread[:10])
    section.rate(
        "rules alone, user turns a CPU-second", len(unread) / cpu(lambda: _read_all(extractor, unread)), unit="turns"
    )
    given = [
        Message(id=str(at), role="user", text=turn["text"], at=1_790_000_000_000_000 + at, session=str(at // 50))
        for at, turn in enumerate(turns)
    ]
    whole = _extract(work, given, extractor)
    section.rate("read, decided, appended, indexed, user turns a CPU-second", len(given) / whole, unit="turns")
    return section


def _unread(text: str) -> Unread:
    state = EvidenceState(role="user", source=bytes(16), session=bytes(16), key=bytes(16), occurred_at=0)
    return Unread(bytes(16), 1, state, text, ())


def _read_all(extractor: Extractor, unread: list[Unread]) -> None:
    for one in unread:
        reading = read(extractor, one)
        if reading.failure:
            raise ValueError(reading.failure)


def _extract(work: Workspace, given: list[Message], extractor: Extractor) -> float:
    with init(work.folder / "extraction", scope="main") as ledger:
        for _ in ledger.record(given):
            pass
        return cpu(lambda: ledger.extract(extractor))
