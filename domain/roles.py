"""Who speaks and who may act (model.md §5).

Authority comes from the actor's role, which the host sets; text never grants it. Only a user or an operator judges.
"""

from dataclasses import dataclass
from typing import Literal, get_args

Role = Literal["user", "operator", "host", "assistant", "tool", "system", "extractor", "scheduler"]
ROLES: frozenset[str] = frozenset(get_args(Role))
JUDGES: frozenset[str] = frozenset({"user", "operator"})
VOICES: frozenset[str] = frozenset({"user", "assistant", "tool", "system"})
"""Roles that a piece of evidence may carry. Only the user's is testimony; the others are kept and derive nothing."""


@dataclass(frozen=True, slots=True)
class Actor:
    """Who gave a command: a role, set by the host, and a name, which is sealed in the log."""

    role: Role
    name: str = ""

    def __post_init__(self) -> None:
        if self.role not in ROLES:
            msg = f"role is {self.role!r}, one of {', '.join(sorted(ROLES))} is required"
            raise ValueError(msg)
