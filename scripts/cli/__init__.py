"""The command line: it parses, calls the Python API and prints. stdout is data; everything else goes to stderr.

Exit codes: 0 ok · 1 done, with findings (differences, skipped lines, refusals) · 2 usage, unknown id · 3 integrity ·
4 conflict or lock · 5 extraction or model failure. An error is one plain sentence with its place and what to do.
"""

import os
import sys

import click

from affidavit.domain.errors import AffidavitError
from affidavit.journal.failures import as_ours
from affidavit.scripts.cli.derive import extract, jobs, rebuild
from affidavit.scripts.cli.judging import forget, resolve, undo
from affidavit.scripts.cli.keep import backup, completion, init, policy, restore, scopes, status, verify
from affidavit.scripts.cli.mechanism import archive, funnel, injected, mode, reply, run, surface, tick, unarchive
from affidavit.scripts.cli.read import claims, context, evidence, history, inbox, prompt, show, timeline, why
from affidavit.scripts.cli.remembered import envelope
from affidavit.scripts.cli.write import correct, feedback, import_, pin, reject, remember, unpin


class _Ordered(click.Group):
    """Lists the commands in the order of the journey, not of the alphabet."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Returns the names as they were added."""
        del ctx
        return list(self.commands)


@click.group(cls=_Ordered, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="affidavit", prog_name="affidavit")
def app() -> None:
    """Affidavit: the memory ledger of an AI agent.

    The ledger is named with --ledger PATH or AFFIDAVIT_LEDGER. Every read takes --json; reads of a scope take --as-of and
    --now too.
    """


for command in (
    init,
    remember,
    import_,
    extract,
    jobs,
    claims,
    show,
    why,
    history,
    evidence,
    timeline,
    prompt,
    context,
    envelope,
    correct,
    reject,
    pin,
    unpin,
    feedback,
    forget,
    undo,
    inbox,
    resolve,
    surface,
    reply,
    injected,
    archive,
    unarchive,
    mode,
    funnel,
    tick,
    run,
    scopes,
    policy,
    rebuild,
    verify,
    backup,
    restore,
    status,
    completion,
):
    app.add_command(command)


def main() -> None:
    """Runs the command line and exits with the code that says how it went."""
    try:
        code = app.main(prog_name="affidavit", standalone_mode=False)
    except AffidavitError as error:
        click.echo(f"affidavit: {error}", err=True)
        sys.exit(error.exit_code)
    except click.UsageError as error:
        error.show()
        sys.exit(2)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo("affidavit: interrupted; what was acknowledged is kept", err=True)
        sys.exit(130)
    except (UnicodeEncodeError, OSError) as error:
        if isinstance(error, BrokenPipeError):
            _let_go_of_stdout()
            sys.exit(0)
        click.echo(f"affidavit: {as_ours(error)}", err=True)
        sys.exit(2)
    sys.exit(code if isinstance(code, int) else 0)


def _let_go_of_stdout() -> None:
    """Takes what is left to say, at exit too, where the reader of our output went away, as `head` does."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
