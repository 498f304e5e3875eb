"""Upcasting: old events are read as new ones, dictionary to dictionary, one pure function a step.

A type's name ends in its version. An upcaster takes the fields of one version and returns those of the next; reading
applies the steps one after the other, so only the newest shape reaches a decision or a view. The log is never rewritten.
"""

from collections.abc import Callable
from typing import Any

Fields = dict[str, Any]
Upcaster = Callable[[Fields], Fields]

_steps: dict[str, tuple[str, Upcaster]] = {}


def upcaster(old: str, new: str) -> Callable[[Upcaster], Upcaster]:
    """Registers the step from one type name to the next, as `@upcaster("claim-pinned.v1", "claim-pinned.v2")`."""

    def register(step: Upcaster) -> Upcaster:
        if old in _steps:
            msg = f"{old} has an upcaster already"
            raise ValueError(msg)
        _steps[old] = (new, step)
        return step

    return register


def upcast(type_name: str, fields: Fields) -> tuple[str, Fields]:
    """Returns the newest type name and its fields; the given dictionary is not changed."""
    while type_name in _steps:
        type_name, step = _steps[type_name]
        fields = step(dict(fields))
    return type_name, fields


def newest(type_name: str) -> str:
    """Returns the newest name of a type."""
    while type_name in _steps:
        type_name = _steps[type_name][0]
    return type_name


def forget(old: str) -> None:
    """Removes a step; for tests that register types of their own."""
    _steps.pop(old, None)
