"""The policy: every constant of the rules, as one frozen model with a digest.

Each event names the digest of the policy it was decided under; `PolicyAdopted` holds the whole text. Weights, counters
and confidences are integers of a millionth, so that no record holds a float. Sources: seed 000 (score, tiers), seed 002
(freshness), seed 004 (confidence), model.md §3, §7 and §8.
"""

import tomllib
from functools import lru_cache
from typing import Annotated, Any

import msgspec
from blake3 import blake3

ONE = 1_000_000
"""One whole, in millionths."""


Positive = Annotated[int, msgspec.Meta(gt=0)]
NonNegative = Annotated[int, msgspec.Meta(ge=0)]
Share = Annotated[int, msgspec.Meta(ge=0, le=ONE)]
"""A part of one whole, in millionths."""


class Signals(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Weights of the six signal sources, in millionths (seed 000)."""

    user_fact_reinforces: NonNegative = 500_000
    user_fact_negates: NonNegative = 1_000_000
    user_confirms: NonNegative = 1_000_000
    user_denies: NonNegative = 1_000_000
    keyword_rebuts: NonNegative = 1_000_000
    user_ignores: int = -200_000
    combo_after: NonNegative = 2
    combo_bonus: NonNegative = 500_000


class Score(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Half-lives in days and the thresholds of the derived tiers in millionths (seed 000)."""

    reinforcement_half_life: Positive = 30
    disputation_half_life: Positive = 180
    confirmed: int = 1_000_000
    promoted: int = 2_000_000
    archive_candidate: int = -2_000_000
    distinct_sessions: Positive = 2
    importance_seed: Annotated[tuple[NonNegative, ...], msgspec.Meta(min_length=10, max_length=10)] = (
        *(0, 0, 0, 0, 0, 0),
        *(200_000, 400_000, 600_000, 800_000),
    )
    """First reinforcement of a reflection by the highest importance of its facts, 1 to 10."""


class Aging(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How one kind of claim ages: days, and a floor in millionths (seed 002); `confidence_days` is seed 004's period."""

    half_life: Positive
    floor: Share
    dormant_after: NonNegative
    confidence_days: Positive = 30


class Kinds(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Aging by kind (design.md §5)."""

    project_state: Aging = Aging(3, 500_000, 7)
    fact: Aging = Aging(60, 500_000, 180)
    decision: Aging = Aging(120, 600_000, 365)
    preference: Aging = Aging(240, 700_000, 730)
    pattern: Aging = Aging(120, 600_000, 365, 14)
    narrative: Aging = Aging(120, 600_000, 365, 7)


class Confidence(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """First confidence by how a claim came in, and its steps, in millionths (model.md §3, seed 004).

    A claim's confidence is raised at most `boosts_a_day` times in one day of the scope.
    """

    explicit: Share = 850_000
    hedged: Share = 650_000
    summary: Share = 600_000
    third_person: Share = 550_000
    imported: Share = 500_000
    asserted: Share = 950_000
    restated: Share = 150_000
    cap: Share = 950_000
    contradicted: Share = 500_000
    least: Share = 100_000
    boosts_a_day: NonNegative = 3


class Extraction(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Back-off after a failed extraction in seconds, by failure; after the last one the item is a dead letter.

    `output_failures` answers in a row that are not what was asked for make one too (seed 002). `calls_an_hour` is the budget
    of an extractor that asks a model.
    """

    backoff_seconds: Annotated[tuple[Positive, ...], msgspec.Meta(min_length=1)] = (60, 300, 900, 3600)
    dead_letter_after: Positive = 5
    output_failures: Positive = 3
    calls_an_hour: Positive = 20


class Replacement(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How many claims an extractor is shown as what it may replace, and how many a host may nominate (seed 002).

    `mentioned` is the part of a claim's words that the message must hold for it to be shown.
    """

    shown: Positive = 32
    nominated: Positive = 8
    mentioned: Share = 400_000


class Feedback(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """By what a verdict multiplies a claim's rank, in millionths (seed 002)."""

    useful: Positive = 1_050_000
    unhelpful: Positive = 900_000
    accurate: Positive = 1_050_000
    incorrect: Positive = 500_000


class Envelope(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What confidence a claim needs to come into the envelope when it is added, and to stay in it (seed 004).

    `admitted` is the least with which anything is believed at all; `hedged_below` is where wording says so. An envelope
    holds `most_kept` facts at most, of which `most_facts` are told.
    """

    fact: Share = 800_000
    pattern: Share = 750_000
    narrative: Share = 600_000
    admitted: Share = 500_000
    withheld_below: Share = 300_000
    hedged_below: Share = 850_000
    most_facts: Positive = 5
    most_kept: Positive = 1000
    cache_seconds: NonNegative = 900


class Prompt(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Budgets of the prompt's sections in tokens, and how many claims the unbudgeted parts hold at most (seed 000).

    A confirmed reflection is told as past once its state is `past_after` days old, or what it tells of `past_event_after`.
    """

    persona: NonNegative = 2000
    reflections: NonNegative = 2000
    facts: NonNegative = 2000
    most_protected: NonNegative = 80
    most_suppressed: NonNegative = 40
    past_after: NonNegative = 7
    past_event_after: NonNegative = 3


class Archive(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """After how many days below zero a claim is archived, and how many claims one shard holds (seed 000)."""

    after_days: Positive = 14
    shard: Positive = 500


class Promotion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How often the question of a promotion is asked, and when texts are alike enough to be rivals (seed 000)."""

    retry_minutes: NonNegative = 30
    most_attempts: Positive = 5
    overlap: Share = 400_000


class Ladder(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Days after which a reflection is confirmed, and then promoted, while powerful memory is off (seed 000)."""

    confirm_days: NonNegative = 7
    promote_days: NonNegative = 7


class Surfacing(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How many claims are surfaced at once, and how long one that was is left alone (seed 000)."""

    most: Positive = 3
    cooldown_minutes: NonNegative = 30


class Repetition(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """More than `most` mentions by the agent within the window suppress a claim for as long (seed 000)."""

    most: NonNegative = 2
    window_hours: Positive = 5


class Synthesis(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How many facts make a reflection, and how many absorbed ones of which age are its context (seed 000)."""

    least: Positive = 5
    most: Positive = 20
    context: NonNegative = 10
    context_days: NonNegative = 14


class Relations(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Budgets of the question which observations new facts speak for or against (seed 000), in claims and tokens."""

    facts: Positive = 20
    observations: Positive = 30
    tokens_each: Positive = 200
    tokens: Positive = 15_000
    messages: Positive = 3


class Summaries(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How many messages of a conversation are summed up at once."""

    messages: Positive = 50


class Loops(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """(interval, first delay) of each loop in seconds, and how a question that fails is asked again (seed 000).

    After so many failures in a row what it was about is a dead letter, which is tried once more after `probe_hours`.
    """

    extraction: tuple[Positive, NonNegative] = (40, 20)
    relations: tuple[Positive, NonNegative] = (40, 60)
    rebuttals: tuple[Positive, NonNegative] = (180, 100)
    promotion: tuple[Positive, NonNegative] = (180, 150)
    synthesis: tuple[Positive, NonNegative] = (180, 200)
    archive: tuple[Positive, NonNegative] = (3600, 250)
    summaries: tuple[Positive, NonNegative] = (180, 250)
    refinement: tuple[Positive, NonNegative] = (1800, 400)
    dead_letter_after: Positive = 5
    probe_hours: Positive = 5


class Policy(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All constants of the rules."""

    signals: Signals = Signals()
    score: Score = Score()
    kinds: Kinds = Kinds()
    confidence: Confidence = Confidence()
    extraction: Extraction = Extraction()
    replacement: Replacement = Replacement()
    feedback: Feedback = Feedback()
    envelope: Envelope = Envelope()
    prompt: Prompt = Prompt()
    archive: Archive = Archive()
    promotion: Promotion = Promotion()
    ladder: Ladder = Ladder()
    surfacing: Surfacing = Surfacing()
    repetition: Repetition = Repetition()
    synthesis: Synthesis = Synthesis()
    relations: Relations = Relations()
    summaries: Summaries = Summaries()
    loops: Loops = Loops()
    evidence_weight_step: NonNegative = 40_000

    @property
    def digest(self) -> bytes:
        """Returns 16 bytes that name this policy: BLAKE3 of its text. It holds no content of anyone's."""
        return _digest(self)

    def aging(self, kind: str) -> Aging:
        """Returns how claims of this kind age."""
        found: Aging = getattr(self.kinds, kind)
        return found


def to_toml(policy: Policy) -> str:
    """Returns the policy as TOML, every constant written out, always in the same order."""
    return "\n".join(_lines(msgspec.to_builtins(policy), ())) + "\n"


@lru_cache(maxsize=64)
def _digest(policy: Policy) -> bytes:
    return blake3(to_toml(policy).encode(), derive_key_context="affidavit 2026 policy digest v1").digest(16)


@lru_cache(maxsize=64)
def from_toml(text: str) -> Policy:
    """Reads a policy; what is left out keeps its default. The same text is parsed once: each read of a scope asks for it.

    Raises ValueError that names the field when a key is unknown or a value has another type.
    """
    try:
        return msgspec.convert(_over(msgspec.to_builtins(Policy()), tomllib.loads(text)), Policy)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise ValueError(str(error)) from error


def _over(defaults: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    """Returns the defaults with what is given in their place, table by table."""
    merged = defaults | given
    for key, value in defaults.items():
        if isinstance(value, dict) and isinstance(given.get(key), dict):
            merged[key] = _over(value, given[key])
    return merged


def _lines(table: dict[str, object], path: tuple[str, ...]) -> list[str]:
    plain = {key: value for key, value in table.items() if not isinstance(value, dict)}
    lines = ["", f"[{'.'.join(path)}]"] if path and plain else []
    for key, value in plain.items():
        written = list(value) if isinstance(value, list | tuple) else value
        lines.append(f"{key} = {written}")
    for key, value in table.items():
        if isinstance(value, dict):
            lines.extend(_lines(value, (*path, key)))
    return lines
