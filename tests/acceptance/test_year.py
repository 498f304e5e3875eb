"""A year at one tick an hour: the ledger ends where the closed formula says, claim by claim, under any time zone.

The formula is written here a second time, from the seed alone: two decaying sums, thresholds, sessions, and at most one day
below zero for each local day. Signals are what people say; every claim has its own script of statements for and against.
"""

import math
import random
import re
import time
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

import affidavit
from affidavit.domain.messages import Message
from affidavit.domain.proposals import ExtractorId, Passage, Proposal, Span

HOUR = 3_600_000_000
DAY = 24 * HOUR
BEGIN = (datetime(2026, 1, 1, tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
ZONES = ("Europe/Lisbon", "Asia/Shanghai", "America/New_York")


class Traits:
    """Reads "trait 7 yes" and "trait 7 no": one attribute for each trait, so that none stands in another's way."""

    identity = ExtractorId("traits", "1", "4" * 64)

    def extract(self, passage: Passage) -> tuple[Proposal, ...]:
        """Returns what the message says of traits."""
        return tuple(
            Proposal(
                text=f"User {'has' if match.group(2) == 'yes' else 'lacks'} trait {match.group(1)}.",
                kind="preference",
                span=Span(*match.span()),
                quote=match.group(),
                attribute=f"trait {match.group(1)}",
                value=match.group(1),
                polarity="positive" if match.group(2) == "yes" else "negative",
            )
            for match in re.finditer(r"trait (\d+) (yes|no)", passage.text)
        )


@dataclass
class Said:
    """One statement: at which hour, of which trait, for or against it, and in which session."""

    hour: int
    trait: int
    yes: bool
    session: str


def script(traits: int, hours: int, seed: int) -> list[Said]:
    """Returns what is said in a year: some traits are repeated, some contradicted, some both, some in one session only."""
    chance = random.Random(seed)
    found = []
    for trait in range(traits):
        mood = chance.random()
        one_session = chance.random() < 0.15
        for number in range(chance.randint(1, 12)):
            hour = chance.randrange(hours)
            yes = chance.random() < mood
            found.append(Said(hour, trait, yes, f"only {trait}" if one_session else f"{trait} {number}"))
    unique = {(said.hour, said.trait): said for said in found}  # One statement of a trait an hour.
    return sorted(unique.values(), key=lambda said: (said.hour, said.trait))


@dataclass
class Expected:
    """One claim by the formula: sums with their clocks, sessions, days below zero, and what became of it."""

    heard: int = 0
    up: float = 0.0
    up_at: int = 0
    down: float = 0.0
    down_at: int = 0
    sessions: set[str] = field(default_factory=set)
    statements: int = 0
    days: int = 0
    last_day: str = ""
    first: int = -1
    archived: bool = False
    ever_archived: bool = False
    persona: bool = False

    def score(self, now: int) -> float:
        up = self.up * math.pow(2, -(now - self.up_at) / DAY / 30)
        return up - self.down * math.pow(2, -(now - self.down_at) / DAY / 180)


Table = dict[str, tuple[str, float, float, int]]
"""By sentence: status, reinforcement, disputation, and days below zero."""


def formula(said: list[Said], hours: int, zone: str) -> tuple[Table, set[int]]:
    """Returns what the seed's rules give, without any ledger, and the traits of which a claim was ever archived."""
    by_hour = defaultdict(list)
    for one in said:
        by_hour[one.hour].append(one)
    claims: dict[tuple[int, bool], Expected] = {}
    local = ZoneInfo(zone)
    for hour in range(hours):
        now = BEGIN + hour * HOUR
        for one in by_hour[hour]:
            _hear(claims, one, now)
        for (trait, yes), claim in claims.items():
            _climb(claim, claims.get((trait, not yes)), now)
        day = datetime.fromtimestamp(now / 1e6, tz=UTC).astimezone(local).date().isoformat()
        for claim in claims.values():
            _sink(claim, now, day)
    table: Table = {
        f"User {'has' if yes else 'lacks'} trait {trait}.": (
            "archived" if claim.archived else "persona" if claim.persona else "active",
            round(claim.up, 6),
            round(claim.down, 6),
            claim.days,
        )
        for (trait, yes), claim in claims.items()
    }
    return table, {trait for (trait, _), claim in claims.items() if claim.ever_archived}


def _hear(claims: dict[tuple[int, bool], Expected], one: Said, now: int) -> None:
    claim = claims.setdefault((one.trait, one.yes), Expected(first=now))
    claim.sessions.add(one.session)
    claim.statements += 1
    if claim.statements > 1:
        if claim.archived:
            claim.archived, claim.days = False, 0
        claim.heard += 1
        claim.up += 0.5 if claim.heard <= 2 else 1.0
        claim.up_at = now
    other = claims.get((one.trait, not one.yes))
    if other is not None and other.first < now and not other.archived:
        other.down += 1.0
        other.down_at = now


def _climb(claim: Expected, other: Expected | None, now: int) -> None:
    if claim.persona or claim.archived or len(claim.sessions) < 2 or claim.score(now) < 2.0:
        return
    if other is not None and other.persona and not other.archived:
        return  # The opposite stands in the persona already: a person decides.
    claim.persona, claim.days = True, 0


def _sink(claim: Expected, now: int, day: str) -> None:
    if claim.archived:
        return
    if claim.score(now) < 0 and day > claim.last_day:
        claim.days, claim.last_day = claim.days + 1, day
    if claim.days >= 14:
        claim.archived = claim.ever_archived = True


def lived(folder: Path, said: list[Said], hours: int, zone: str) -> tuple[Table, float]:
    """Lets a ledger live through the script; returns the same table as `formula`, and the CPU seconds of its ticks."""
    by_hour = defaultdict(list)
    for one in said:
        by_hour[one.hour].append(one)
    now = BEGIN
    spent = 0.0
    with affidavit.init(folder, scope="ana", time_zone=zone, clock=lambda: now) as ledger:
        loops = ledger.loops(Traits())
        for hour in range(hours):
            now = BEGIN + hour * HOUR
            messages = [
                Message(
                    id=f"{one.trait}-{one.hour}",
                    text=f"trait {one.trait} {'yes' if one.yes else 'no'}",
                    at=now,
                    role="user",
                    session=one.session,
                    source="script",
                )
                for one in by_hour[hour]
            ]
            begun = time.process_time()
            list(ledger.record(messages))
            loops.tick(now)
            spent += time.process_time() - begun
        return _table(ledger), spent


def _table(ledger: affidavit.Ledger) -> Table:
    found: Table = {}
    for claim in ledger.claims(every=True):
        if claim.status == "promoted":
            continue  # Its persona claim says what became of it.
        state = ledger.show(claim.id).state
        status = "persona" if claim.form == "persona" and claim.status == "active" else claim.status
        found[claim.text] = (status, state["reinforcement"], state["disputation"], state["sub_zero_days"])
    return found


@pytest.mark.parametrize("zone", ZONES)
def test_a_year_of_ticks_ends_where_the_formula_does(tmp_path: Path, zone: str, long: bool) -> None:
    traits, hours = (640, 365 * 24) if long else (60, 60 * 24)
    said = script(traits, hours, seed=7)
    expected, _ = formula(said, hours, zone)
    found, spent = lived(tmp_path / "ledger", said, hours, zone)
    assert found == expected
    statuses = {status for status, *_ in found.values()}
    assert statuses == {"active", "persona", "archived"}
    print(f"{len(found)} claims, {hours} ticks, {len(said)} statements: {spent:.1f} s of CPU")


def test_zones_agree_on_all_but_the_days(tmp_path: Path) -> None:
    said, hours = script(50, 40 * 24, seed=11), 40 * 24
    tables = [lived(tmp_path / zone.replace("/", "-"), said, hours, zone)[0] for zone in ZONES]
    # Being archived a local day earlier or later decides which statements dispute and restore; all else is the same.
    moved = set().union(*(formula(said, hours, zone)[1] for zone in ZONES))
    steady = [{text: row[:3] for text, row in table.items() if not _traits(text) & moved} for table in tables]
    assert len(steady[0]) > 20
    assert steady[0] == steady[1] == steady[2]


def _traits(text: str) -> set[int]:
    return {int(number) for number in re.findall(r"\d+", text)}
