"""Injections: a prompt really went to a model, so the host says so.

Rendering and recall write nothing. With the manifest of what was shown, a later echo in the agent's words can be traced to
the claims that it came from. No query text is kept, and nothing is counted for any claim.
"""

from dataclasses import dataclass
from typing import Any

from pydantic import Field

from affidavit.domain.commands import OfScope
from affidavit.domain.decisions import Decision, Refused
from affidavit.domain.events import Digest, Id, Micros, event_type
from affidavit.domain.index import Index
from affidavit.domain.roles import JUDGES
from affidavit.domain.scopes import ScopeEvent, refused_role


@event_type("prompt-injected.v1", public="scope claims shown_at tokens digest")
class PromptInjected(ScopeEvent):
    """These claims were shown to a model, in this order; `shown_at` is the moment at which they were judged.

    `digest` is the one of the policy they were ranked under.
    """

    claims: tuple[Id, ...]
    shown_at: Micros
    tokens: int = Field(ge=0)
    digest: Digest


@dataclass(frozen=True, slots=True, kw_only=True)
class Inject(OfScope):
    """Note that these claims went to a model."""

    claims: tuple[bytes, ...]
    shown_at: int
    tokens: int
    policy: bytes

    @property
    def content(self) -> tuple[Any, ...]:
        """Returns what was shown."""
        return (self.claims, self.shown_at, self.tokens, self.policy)


def inject(command: Inject, index: Index) -> Decision:
    """Notes what was shown. Refused to all but hosts, users and operators, and for a claim that this scope has not."""
    if command.actor.role not in JUDGES | {"host"}:
        return refused_role(command, command.scope, "user, operator or host")
    unknown = [claim for claim in command.claims if index.claim(claim) is None]
    if unknown:
        return Refused("claim", actual=f"claim {unknown[0].hex()[:24]}", required="claims of this scope")
    return (
        PromptInjected(
            id=command.new_id(),
            occurred_at=command.at,
            scope=command.scope,
            claims=command.claims,
            shown_at=command.shown_at,
            tokens=command.tokens,
            digest=command.policy,
        ),
    )
