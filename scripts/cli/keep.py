"""Commands that keep a ledger: init, scopes, policy, verify, status, completion."""

import getpass
from pathlib import Path

import click

from affidavit.domain.errors import BadInput, UsageError
from affidavit.domain.policy import from_toml, to_toml
from affidavit.domain.roles import Actor
from affidavit.scripts import ledger as api
from affidavit.scripts.bootstrap import LEDGER_VARIABLE
from affidavit.scripts.cli import printing
from affidavit.scripts.cli.options import FINDINGS, actor_options, json_option, ledger_options, time_options, with_ledger
from affidavit.scripts.ledger import Ledger
from affidavit.scripts.machine import time_zone as machine_zone

INTEGRITY = 3


@click.command()
@click.option("--time-zone", default=None, help="The scope's time zone, such as Europe/Lisbon; the machine's if left out.")
@click.option("--actor", metavar="NAME", help="Who gives the command; the login name if left out.")
@ledger_options
def init(ledger: Path | None, keys: Path | None, scope: str | None, time_zone: str | None, actor: str | None) -> None:
    """Make a ledger with a scope, or open another scope in one."""
    if ledger is None:
        raise UsageError("where should the ledger be?", remedy=f"name a folder with --ledger PATH or {LEDGER_VARIABLE}")
    if not scope:
        raise UsageError("whom is it about?", remedy="name the scope with --scope NAME, such as the user's name")
    zone = time_zone or machine_zone()
    who = Actor("operator", actor or getpass.getuser())
    with api.init(ledger, scope=scope, time_zone=zone, keys=keys, actor=who) as made:
        click.echo(f"{ledger}: scope {scope} opened, time zone {zone}; position {made.position}")
    printing.note(
        f"The text is sealed under the keys in {keys or ledger / 'keys.db'} and the key-encryption key beside it.\n"
        "Losing the keys loses the text: back them up together with log.db, and apart from it.",
    )


@click.command()
@json_option
@ledger_options
@with_ledger
def scopes(ledger: Ledger, as_json: bool) -> None:  # noqa: FBT001
    """List the scopes of the ledger."""
    found = ledger.scopes()
    if as_json:
        printing.as_json({"scopes": found})
        return
    for scope in found:
        click.echo(f"{scope.name:<20} {scope.time_zone:<20} {scope.records} records")


@click.group()
def policy() -> None:
    """Show the policy in force, or adopt another."""


@policy.command(name="show")
@time_options
@json_option
@ledger_options
@with_ledger
def policy_show(ledger: Ledger, as_of: str | None, now: str | None, as_json: bool) -> None:  # noqa: FBT001
    """Print the policy in force, as TOML; change a copy and adopt it."""
    del now
    found = ledger.policy(as_of=as_of)
    if as_json:
        printing.as_json({"digest": found.digest.hex(), "policy": to_toml(found)})
    else:
        click.echo(to_toml(found), nl=False)


@policy.command(name="adopt")
@click.argument("file", type=click.Path(path_type=Path))
@actor_options
@ledger_options
@with_ledger
def policy_adopt(ledger: Ledger, file: Path) -> int:
    """Put the constants of a TOML file in force."""
    try:
        wanted = from_toml(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        msg = f"{file}: {error}"
        raise BadInput(msg, remedy="`affidavit policy show` prints a whole one") from error
    outcome = ledger.adopt_policy(wanted)
    if outcome.refused:
        click.echo(f"refused  {outcome.refused}")
        return FINDINGS
    told = f"position {outcome.position}" if outcome.position else "it is in force already"
    click.echo(f"policy {wanted.digest.hex()[:8]}  {told}")
    return 0


@click.command()
@click.option("--chain", is_flag=True, help="Digests, links and the remembered head alone: quicker, and less.")
@json_option
@ledger_options
@with_ledger
def verify(ledger: Ledger, chain: bool, as_json: bool) -> int:  # noqa: FBT001
    """Check the whole log: bodies, links, sealed texts, decision index, remembered head, SQLite's own structures."""
    report = ledger.verify(chain_only=chain)
    if as_json:
        printing.as_json({"clean": report.clean, **{name: getattr(report, name) for name in report.__slots__}})
    elif report.clean:
        what = "records verified, their chain alone" if chain else "records verified"
        click.echo(f"{report.records} {what}; head {report.head[:16]} at position {report.position}")
    else:
        for fault in report.faults:
            where = f"position {fault.position}" if fault.position else "the whole"
            click.echo(f"{fault.kind}: {where}: {fault.sentence}")
            for consequence in fault.consequences:
                click.echo(f"    {consequence}")
    if report.earlier:
        printing.note("The log is of an earlier format: its index was not compared, and is made anew by the next command.")
    return 0 if report.clean else INTEGRITY


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@json_option
@ledger_options
@with_ledger
def backup(ledger: Ledger, folder: Path, as_json: bool) -> None:  # noqa: FBT001
    """Copy log and keys into a new folder, as one pair, while writers go on."""
    manifest = ledger.back_up(folder)
    if as_json:
        printing.as_json(manifest)
    else:
        click.echo(f"{folder}: {manifest.position} records, head {manifest.head[:16]}")
    if not manifest.kek:
        printing.note("The key-encryption key is in AFFIDAVIT_KEK and not in the backup: keep it too.")
    else:
        printing.note("The backup holds the keys: whoever has it can read the text.")


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--ledger", type=click.Path(path_type=Path), envvar=LEDGER_VARIABLE, help="Where the ledger is to be made.")
@json_option
def restore(folder: Path, ledger: Path | None, as_json: bool) -> None:  # noqa: FBT001
    """Make a ledger of a backup; it is verified before it is in place."""
    if ledger is None:
        raise UsageError("where should the ledger be?", remedy=f"name a folder with --ledger PATH or {LEDGER_VARIABLE}")
    manifest = api.restore(folder, ledger)
    if as_json:
        printing.as_json(manifest)
    else:
        click.echo(f"{ledger}: {manifest.position} records restored and verified, head {manifest.head[:16]}")


@click.command()
@json_option
@ledger_options
@with_ledger
def status(ledger: Ledger, as_json: bool) -> None:  # noqa: FBT001
    """Show where the ledger stands."""
    found = ledger.status()
    if as_json:
        printing.as_json(found)
        return
    click.echo(f"{found.ledger}: position {found.position}, log {found.log_bytes:,} bytes")
    for scope in found.scopes:
        click.echo(f"  scope {scope.name} ({scope.time_zone}): {scope.records} records")
    for name, position in found.views.items():
        click.echo(f"  view {name}: {'not built' if position is None else f'position {position}'}")


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the completion script of a shell; `eval "$(affidavit completion bash)"`."""
    from click.shell_completion import get_completion_class  # noqa: PLC0415

    from affidavit.scripts.cli import app  # noqa: PLC0415

    kind = get_completion_class(shell)
    if kind is None:
        msg = f"click knows no completion for {shell}"
        raise UsageError(msg)
    click.echo(kind(app, {}, "affidavit", "_AFFIDAVIT_COMPLETE").source())
