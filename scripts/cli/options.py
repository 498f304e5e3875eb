"""Options that several commands share, and how a ledger is opened from them."""

import functools
import getpass
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from affidavit.domain.errors import UsageError
from affidavit.domain.roles import ROLES, Actor
from affidavit.scripts.bootstrap import KEYS_VARIABLE, LEDGER_VARIABLE
from affidavit.scripts.ledger import open_ledger

F = TypeVar("F", bound=Callable[..., Any])

FINDINGS = 1
EXTRACTION_FAILED = 5


def ledger_options(function: F) -> F:
    """Adds --ledger, --keys and --scope."""
    for option in (
        click.option("--scope", metavar="NAME", help="The scope; may be left out if there is one."),
        click.option(
            "--keys",
            type=click.Path(path_type=Path),
            envvar=KEYS_VARIABLE,
            help="The key store, if it lies elsewhere [AFFIDAVIT_KEYS].",
        ),
        click.option(
            "--ledger",
            type=click.Path(path_type=Path),
            envvar=LEDGER_VARIABLE,
            help="The ledger's folder [AFFIDAVIT_LEDGER].",
        ),
    ):
        function = option(function)
    return function


def actor_options(function: F) -> F:
    """Adds --actor and --role: who gives the command."""
    role = click.option(
        "--role",
        type=click.Choice(sorted(ROLES)),
        default="operator",
        show_default=True,
        help="The actor's role; only a user or operator judges.",
    )
    name = click.option("--actor", metavar="NAME", help="Who gives the command; the login name if left out.")
    return name(role(function))


def json_option(function: F) -> F:
    """Adds --json."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON; docs/reference/json.md gives the shape.")(
        function
    )


def time_options(function: F) -> F:
    """Adds --as-of and --now, the two times of a read."""
    now = click.option("--now", metavar="TIME", help="When it is judged: an ISO 8601 time.")
    as_of = click.option("--as-of", metavar="POSITION|TIME", help="What was recorded up to a position or a time.")
    return as_of(now(function))


def with_ledger(function: Callable[..., Any]) -> Callable[..., Any]:
    """Opens the ledger of the shared options, hands it in as the first argument, and closes it."""

    @functools.wraps(function)
    def run(*args: Any, ledger: Path | None, keys: Path | None, scope: str | None, **options: Any) -> Any:
        if ledger is None:
            msg = "no ledger was named"
            raise UsageError(msg, remedy=f"name it with --ledger PATH or {LEDGER_VARIABLE}")
        # `verify` opens what others refuse to open: it is to say what is wrong.
        check = function.__name__ != "verify"
        with open_ledger(ledger, scope=scope, keys=keys, actor=_actor(options), check=check) as opened:
            return function(opened, *args, **options)

    return run


def _actor(options: dict[str, Any]) -> Actor:
    """Returns who acts; a command without --actor is the login's, as operator."""
    name = options.pop("actor", None) or getpass.getuser()
    return Actor(options.pop("role", "operator") if "role" in options else "operator", name)
