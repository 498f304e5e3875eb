"""The command line in this process: run a command, and look at what it left."""

import io
import json
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import pytest

from affidavit.scripts.cli import main


class Run(NamedTuple):
    """What a command left: its exit code, and what it wrote where."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def affidavit(*arguments: str | Path, stdin: str = "") -> Run:
    """Runs the command line in this process, as its entry point does."""
    out, err = io.StringIO(), io.StringIO()
    argv = ["affidavit", *map(str, arguments)]
    spoken = patch.object(sys, "argv", argv), patch.object(sys, "stdin", io.StringIO(stdin))
    with spoken[0], spoken[1], redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as end:
        main()
    code = end.value.code
    assert isinstance(code, int)
    return Run(code, out.getvalue(), err.getvalue())


def claim(text: str) -> str:
    """Returns the id of a claim that says `text`."""
    found = [one["id"] for one in affidavit("claims", "--all", "--json").json["claims"] if one["text"] == text]
    assert len(found) == 1
    return str(found[0])


def the_error(done: Run, code: int) -> str:
    """Returns the one sentence of an error, after a look that it is one."""
    assert (done.code, done.out) == (code, "")
    assert "Traceback" not in done.err
    (line,) = done.err.splitlines()
    assert line.startswith("affidavit: ")
    return line
