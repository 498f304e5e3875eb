"""Nominations: a host says which pieces of work a tool's result is about (seed 002, "Completed-work observations").

What a tool prints has no power by itself. A host, user or operator may name with it one to eight project states; then an
extractor may read from it what has become of them, and of nothing else. A failure is an observation as well, and no proof.
"""

from affidavit.domain.decisions import Refused
from affidavit.domain.evidence import Record
from affidavit.domain.index import Index
from affidavit.domain.roles import JUDGES
from affidavit.domain.scopes import refused_role

NOMINATING = JUDGES | {"host"}


def nominate(command: Record, scope: bytes, index: Index) -> Refused | None:
    """Returns what stands against what a message nominates, None if it nominates nothing or all of it is sound."""
    targets, most = command.targets, index.policy.replacement.nominated
    if not targets:
        return None
    if command.actor.role not in NOMINATING:
        return refused_role(command, scope, "user, operator or host")
    if command.role != "tool" or command.basis is not None:
        return Refused("nomination", actual=f"words of a {command.role}", required="a tool's result")
    if len(set(targets)) < len(targets) or len(targets) > most:
        return Refused("nomination", actual=f"{len(targets)} claims", required=f"1 to {most} claims, each once")
    for claim in targets:
        state = index.claim(claim)
        if state is None or state.kind != "project_state" or state.namespace != command.namespace_id:
            found = "an unknown claim" if state is None else f"a {state.kind}"
            return Refused("nomination", actual=found, required="project states of the same namespace")
    return None
