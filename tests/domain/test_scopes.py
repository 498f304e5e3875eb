"""A scope opens under a policy, in a zone; only a person changes its policy."""

import pytest
from spec import NOW, SCOPE, Ids, Outcome, ana, operator

from affidavit.domain.policy import Policy, Prompt, to_toml
from affidavit.domain.roles import JUDGES, ROLES, VOICES, Actor
from affidavit.domain.scopes import AdoptPolicy, OpenScope, PolicyAdopted, ScopeOpened, adopt, open_scope

OTHER = Policy(prompt=Prompt(facts=100))


def opening(zone: str = "Europe/Lisbon") -> Outcome:
    command = OpenScope(actor=operator, at=NOW, new_id=Ids(), scope=SCOPE, name="ana", time_zone=zone)
    return Outcome(open_scope(command, Policy()))


def adopting(policy: Policy, by: Actor = ana) -> Outcome:
    return Outcome(adopt(AdoptPolicy(actor=by, at=NOW, new_id=Ids(), scope=SCOPE, policy=policy), Policy()))


def test_a_scope_opens_with_its_zone_policy_and_first_generation() -> None:
    outcome = opening().then(ScopeOpened, PolicyAdopted)
    opened, adopted = outcome.the(ScopeOpened), outcome.the(PolicyAdopted)
    assert (opened.name, opened.time_zone, opened.generation, opened.stream) == ("ana", "Europe/Lisbon", 1, SCOPE)
    assert (adopted.cause, adopted.digest, adopted.policy) == (opened.id, Policy().digest, to_toml(Policy()))


@pytest.mark.parametrize("zone", ["", "Mars/Base", "europe/lisbon/", "+01:00"])
def test_an_unknown_zone_is_refused(zone: str) -> None:
    refused = opening(zone).refused("time zone", actual=zone)
    assert refused.events == ()


def test_a_name_is_never_public() -> None:
    assert "name" not in ScopeOpened.public


def test_a_person_adopts_a_policy() -> None:
    adopted = adopting(OTHER).then(PolicyAdopted).the(PolicyAdopted)
    assert (adopted.digest, adopted.policy) == (OTHER.digest, to_toml(OTHER))


def test_adopting_what_is_in_force_stays_quiet() -> None:
    adopting(Policy()).then_nothing()


@pytest.mark.parametrize("role", sorted(ROLES - JUDGES))
def test_nobody_else_adopts_a_policy(role: str) -> None:
    adopting(OTHER, by=Actor(role)).refused("role", required="role user or operator")  # type: ignore[arg-type]


def test_a_role_is_one_of_a_closed_list() -> None:
    with pytest.raises(ValueError, match="role is 'admin'"):
        Actor("admin")  # type: ignore[arg-type]
    assert JUDGES < ROLES
    assert VOICES < ROLES
