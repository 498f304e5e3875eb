"""Commands: what someone asks for, in the imperative, with everything a decision may not fetch for itself.

The clock, fresh ids and the actor arrive here. A command's `natural_key` makes it idempotent: the same key with the same
`content` is answered with the first receipt. A genuine repeat (pin, unpin, pin) brings a key of its own.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from affidavit.domain.roles import Actor


@dataclass(frozen=True, slots=True, kw_only=True)
class Command(ABC):
    """The base of all commands. `at` is when it happened, in microseconds; `new_id` yields time-ordered ids."""

    actor: Actor
    at: int
    new_id: Callable[[], bytes]

    @property
    @abstractmethod
    def stream(self) -> bytes:
        """Returns the stream that keeps the receipt."""

    @property
    @abstractmethod
    def natural_key(self) -> tuple[str, ...]:
        """Returns the parts of the command key, as the source defines them; never a file path.

        No two commands of this kind in the scope have the same parts and both write: records that follow one another
        with one key are one command.
        """

    @property
    def content(self) -> tuple[Any, ...]:
        """Returns what must be equal when the same key comes again: plain data without ids and clock."""
        return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class OfClaim(Command):
    """The base of commands about one claim. Asking again is a new command; what it repeats is decided quiet."""

    scope: bytes
    claim: bytes

    @property
    def stream(self) -> bytes:
        """Returns the claim."""
        return self.claim

    @property
    def natural_key(self) -> tuple[str, ...]:
        """Returns a key of its own each time."""
        return (type(self).__name__, self.new_id().hex())


@dataclass(frozen=True, slots=True, kw_only=True)
class OfScope(Command):
    """The base of commands about a scope. Asking again is a new command, unless a command names its own key."""

    scope: bytes

    @property
    def stream(self) -> bytes:
        """Returns the scope."""
        return self.scope

    @property
    def natural_key(self) -> tuple[str, ...]:
        """Returns a key of its own each time."""
        return (type(self).__name__, self.new_id().hex())
