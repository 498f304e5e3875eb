"""Scopes: the hard boundary, one agent-and-user pair each. Nothing is read, replaced or counted across scopes.

A scope has a time zone, a policy, an active generation, and names. Names of scopes, actors, sources and namespaces are
sealed under the scope's own key; every other record holds the random id that `NameIntroduced` gave them.
"""

from dataclasses import dataclass
from typing import Literal
from zoneinfo import available_timezones

from affidavit.domain.commands import Command
from affidavit.domain.decisions import Decision, Refused
from affidavit.domain.events import Digest, Event, Id, Sealing, event_type
from affidavit.domain.policy import Policy, to_toml
from affidavit.domain.roles import JUDGES

NameKind = Literal["actor", "source", "namespace"]


class ScopeEvent(Event):
    """An event of the scope's control stream."""

    stream_class = "scope"

    scope: Id

    @property
    def stream(self) -> bytes:
        """Returns the scope id."""
        return self.scope

    @property
    def sealing(self) -> Sealing:
        """Returns the scope's own key, or the keys of the evidence that the event is about."""
        return Sealing(parents=self.evidence)


@event_type("scope-opened.v1", public="scope time_zone generation")
class ScopeOpened(ScopeEvent):
    """A scope began, with its time zone; its first generation is active."""

    name: str
    time_zone: str
    generation: int = 1


@event_type("name-introduced.v1", public="scope kind name_id digest")
class NameIntroduced(ScopeEvent):
    """A name came up for the first time; `digest` finds it again, keyed by the scope's secret."""

    kind: NameKind
    name_id: Id
    digest: Digest
    name: str


@event_type("policy-adopted.v1", public="scope policy digest")
class PolicyAdopted(ScopeEvent):
    """These constants are in force from here on; `policy` is their whole text, as TOML."""

    policy: str
    digest: Digest


@event_type("write-refused.v1", public="scope rule bound_to conflict extractor item")
class WriteRefused(ScopeEvent):
    """A write was refused: its rule, what was found, what is required, and what would resolve it.

    `bound_to` is the claim whose rejection or correction it ran into; `conflict` says that it is first-hand and newer
    than that decision, so a person should look. `text`, `start`, `end` and `quote` are what was proposed.
    """

    rule: str
    actual: str
    required: str
    remedy: str = ""
    bound_to: Id | None = None
    conflict: bool = False
    extractor: str = ""
    item: Id | None = None
    text: str = ""
    start: int = 0
    end: int = 0
    quote: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenScope(Command):
    """Begin a scope."""

    scope: bytes
    name: str
    time_zone: str

    @property
    def stream(self) -> bytes:
        """Returns the scope id."""
        return self.scope

    @property
    def natural_key(self) -> tuple[str, ...]:
        """Returns the scope itself: it is opened once."""
        return ("open scope",)

    @property
    def content(self) -> tuple[str, ...]:
        """Returns name and zone."""
        return (self.name, self.time_zone)


@dataclass(frozen=True, slots=True, kw_only=True)
class AdoptPolicy(Command):
    """Let these constants be in force."""

    scope: bytes
    policy: Policy

    @property
    def stream(self) -> bytes:
        """Returns the scope id."""
        return self.scope

    @property
    def natural_key(self) -> tuple[str, ...]:
        """Returns a key of its own each time: going back to an earlier policy is a new decision."""
        return ("adopt policy", self.new_id().hex())


def open_scope(command: OpenScope, policy: Policy, *, taken: bool = False) -> Decision:
    """Opens the scope under a policy. Refused for a name that is `taken`, and for an unknown time zone."""
    if taken:
        return Refused("name", actual=f"an open scope {command.name!r}", required="a name that no scope has")
    if command.time_zone not in available_timezones():
        return Refused(
            "time zone",
            actual=command.time_zone,
            required="a zone of the IANA database such as Europe/Lisbon",
        )
    opened = ScopeOpened(
        id=command.new_id(),
        occurred_at=command.at,
        scope=command.scope,
        name=command.name,
        time_zone=command.time_zone,
    )
    return (opened, _adopted(command, policy, cause=opened.id))


def adopt(command: AdoptPolicy, current: Policy) -> Decision:
    """Adopts the policy; quiet if it is in force already. Only a user or operator may."""
    if command.actor.role not in JUDGES:
        return refused_role(command, command.scope, "user or operator")
    if command.policy == current:
        return ()
    return (_adopted(command, command.policy),)


def refused_role(command: Command, scope: bytes, required: str, bound_to: bytes | None = None) -> Refused:
    """Returns the refusal of a command whose actor has not one of the required roles; it is recorded."""
    actual, required = f"role {command.actor.role}", f"role {required}"
    event = WriteRefused(
        id=command.new_id(),
        occurred_at=command.at,
        scope=scope,
        rule="role",
        actual=actual,
        required=required,
        bound_to=bound_to,
    )
    return Refused("role", actual=actual, required=required, events=(event,))


def _adopted(command: OpenScope | AdoptPolicy, policy: Policy, cause: bytes | None = None) -> PolicyAdopted:
    return PolicyAdopted(
        id=command.new_id(),
        occurred_at=command.at,
        cause=cause,
        scope=command.scope,
        policy=to_toml(policy),
        digest=policy.digest,
    )
