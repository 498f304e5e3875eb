"""Values of another type, in every column of every table: what a changed byte can make of one, met everywhere at once.

SQLite checks types when it writes, not when it reads. Each answer is as before, or one of our errors.
"""

import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from crash import flips
from crash.test_flips import silent

VALUES = ("NULL", "7", "'x'", "x'00'")


class Cell(NamedTuple):
    """The column of a table in a file, and the value that its first row is to hold."""

    file: str
    table: str
    column: str
    value: str


def cells(folder: Path) -> Iterator[Cell]:
    """Yields every column of every table, with each value."""
    for path in sorted(folder.rglob("*.db")):
        connection = sqlite3.connect(path)
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
        for (table,) in tables.fetchall():
            for column in connection.execute(f"SELECT name FROM pragma_table_info('{table}')").fetchall():
                for value in VALUES:
                    yield Cell(str(path.relative_to(folder)), table, column[0], value)
        connection.close()


def retype(path: Path, cell: Cell) -> bool:
    """Takes the table's types off and sets the cell; False where SQLite cannot hold such a value there at all."""
    connection = sqlite3.connect(path, isolation_level=None)
    for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
        connection.execute(f"DROP TRIGGER {name}")
    connection.execute("PRAGMA writable_schema = ON")
    loose = "replace(replace(replace(sql, ', STRICT', ''), ') STRICT', ')'), 'NOT NULL', '')"
    connection.execute(f"UPDATE sqlite_master SET sql = {loose} WHERE name = ?", (cell.table,))
    connection.execute("PRAGMA writable_schema = RESET")
    connection.close()
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        where = f"{cell.column} IS (SELECT {cell.column} FROM {cell.table} LIMIT 1)"
        return connection.execute(f"UPDATE OR FAIL {cell.table} SET {cell.column} = {cell.value} WHERE {where}").rowcount > 0
    except sqlite3.IntegrityError:
        return False
    finally:
        connection.close()


def test_no_column_of_another_type_changes_an_answer_silently(fast: Path, long: bool) -> None:
    flips.make(fast / "pristine")
    shutil.copytree(fast / "pristine", fast / "whole")
    asked = flips.questions(fast / "whole", 1 if long else 6)
    before = flips.answers(fast / "whole", asked)
    wrong: list[tuple[Cell, list[str]]] = []
    tried = refused = 0
    for number, cell in enumerate(cells(fast / "pristine")):
        if not long and number % 5:
            continue
        folder = fast / "retyped"
        shutil.copytree(fast / "pristine", folder)
        if retype(folder / cell.file, cell):
            tried += 1
            # What the log holds is asked for with the views, and without, as they are built anew from it.
            if number % 2 and not cell.file.startswith("views"):
                shutil.rmtree(folder / "views")
            after = flips.answers(folder, asked)
            refused += any(answer.error for answer in after.values())
            met = sorted({answer.raw for answer in after.values() if answer.raw}) + silent(before, after)
            if met:
                wrong.append((cell, met[:3]))
        shutil.rmtree(folder)
    print(tried, "tried,", refused, "refused;", *wrong, sep="\n")
    assert tried > (300 if long else 60)
    assert refused > tried / 4
    assert wrong == []
