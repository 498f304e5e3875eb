"""The powerful-memory switch of a scope (seed 000): on from the beginning, read anew at every step, never cached.

Off, claims are still extracted, repeated statements still count, and the archive is still swept; but no question is asked
about relations, promotions, merges and refinements, and reflections climb by age instead of by score: 7 days to confirmed,
7 more to promoted. Switched on again, work begins with what comes from then on; nothing that came meanwhile is caught up.
"""

from dataclasses import dataclass

from affidavit.domain.commands import OfScope
from affidavit.domain.decisions import Decision
from affidavit.domain.events import Micros, event_type
from affidavit.domain.index import Mode
from affidavit.domain.roles import JUDGES
from affidavit.domain.scopes import ScopeEvent, refused_role


@event_type("mode-switched.v1", public="scope powerful since")
class ModeSwitched(ScopeEvent):
    """Powerful memory was switched on or off; `since` is from when on it holds."""

    powerful: bool
    since: Micros


@dataclass(frozen=True, slots=True, kw_only=True)
class SwitchMode(OfScope):
    """Let powerful memory be on, or off."""

    powerful: bool


def switch(command: SwitchMode, mode: Mode) -> Decision:
    """Switches powerful memory. Quiet if it is so already; refused to all but users and operators."""
    if command.actor.role not in JUDGES:
        return refused_role(command, command.scope, "user or operator")
    if command.powerful == mode.powerful:
        return ()
    return (
        ModeSwitched(
            id=command.new_id(),
            occurred_at=command.at,
            scope=command.scope,
            powerful=command.powerful,
            since=command.at,
        ),
    )
