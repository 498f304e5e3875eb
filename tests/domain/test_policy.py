"""All constants of the rules are one frozen text with a digest."""

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from affidavit.domain.policy import Policy, from_toml, to_toml

NUMBERS = st.integers(-(2**53), 2**53)


def constants(table: dict[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for name, value in table.items():
        if isinstance(value, dict):
            yield from constants(value, (*path, name))
        else:
            yield (*path, name)


def changed(path: tuple[str, ...]) -> Policy:
    """Returns the default policy with one constant moved by one."""
    plain = msgspec.to_builtins(Policy())
    *tables, name = path
    inner = plain
    for table in tables:
        inner = inner[table]
    value = inner[name]
    inner[name] = [*value[:-1], value[-1] + 1] if isinstance(value, list | tuple) else value + 1
    return msgspec.convert(plain, Policy)


EVERY = list(constants(msgspec.to_builtins(Policy())))


@given(NUMBERS, st.integers(0, 10**9), st.lists(st.integers(1, 10**9), min_size=1, max_size=5))
def test_a_policy_survives_its_text(weight: int, step: int, waits: list[int]) -> None:
    default = Policy()
    signals = msgspec.structs.replace(default.signals, user_ignores=weight)
    extraction = msgspec.structs.replace(default.extraction, backoff_seconds=tuple(waits))
    policy = msgspec.structs.replace(default, signals=signals, extraction=extraction, evidence_weight_step=step)
    assert from_toml(to_toml(policy)) == policy
    assert to_toml(from_toml(to_toml(policy))) == to_toml(policy)


@pytest.mark.parametrize("path", EVERY, ids=".".join)
def test_every_constant_is_written_out_and_changes_the_digest(path: tuple[str, ...]) -> None:
    policy = changed(path)
    assert policy.digest != Policy().digest
    assert from_toml(to_toml(policy)) == policy


def test_the_same_constants_have_the_same_digest() -> None:
    assert Policy().digest == from_toml(to_toml(Policy())).digest
    assert len(Policy().digest) == 16


def test_a_table_or_constant_left_out_keeps_its_default() -> None:
    assert from_toml("") == Policy()
    policy = from_toml("[signals]\nuser_ignores = 0\n")
    assert policy == msgspec.structs.replace(Policy(), signals=msgspec.structs.replace(Policy().signals, user_ignores=0))


def test_one_constant_of_a_kind_leaves_the_others() -> None:
    fact = from_toml("[kinds.fact]\nhalf_life = 30\n").kinds.fact
    assert fact == msgspec.structs.replace(Policy().kinds.fact, half_life=30)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[signals]\nuser_ignored = 1\n", "user_ignored.*signals"),
        ("[singals]\n", "singals"),
        ("[score]\nconfirmed = 1.5\n", "score.confirmed"),
        ('[prompt]\nfacts = "many"\n', "prompt.facts"),
        ("evidence_weight_step = true\n", "evidence_weight_step"),
        ("[extraction]\nbackoff_seconds = 60\n", "extraction.backoff_seconds"),
        ("not toml", r"line 1"),
    ],
)
def test_what_is_not_a_policy_is_named(text: str, named: str) -> None:
    with pytest.raises(ValueError, match=named):
        from_toml(text)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[kinds.fact]\nhalf_life = 0\n", r"kinds\.fact\.half_life"),
        ("[kinds.fact]\nconfidence_days = 0\n", r"kinds\.fact\.confidence_days"),
        ("[score]\nreinforcement_half_life = 0\n", r"score\.reinforcement_half_life"),
        ("[score]\ndisputation_half_life = 0\n", r"score\.disputation_half_life"),
        ("[extraction]\nbackoff_seconds = []\n", r"extraction\.backoff_seconds"),
        ("[extraction]\nbackoff_seconds = [0]\n", r"extraction\.backoff_seconds"),
    ],
)
def test_no_period_is_nothing(text: str, named: str) -> None:
    with pytest.raises(ValueError, match=named):
        from_toml(text)


def test_a_policy_is_frozen() -> None:
    with pytest.raises(AttributeError):
        Policy().evidence_weight_step = 0  # type: ignore[misc]


def test_every_kind_ages() -> None:
    for kind in ("project_state", "fact", "decision", "preference", "pattern", "narrative"):
        assert Policy().aging(kind).half_life > 0
