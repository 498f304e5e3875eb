"""Group commit: threads of one process share a transaction, and so an fsync.

The first caller leads: it takes what is queued, opens one write transaction, runs each job in a savepoint of its own and
commits once. A job that raises rolls back alone. Callers wait with a deadline and take their job out of the queue when it
passes; a job that has begun is waited for, because its effect is then decided.
"""

import sqlite3
import threading
from collections import deque
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, TypeVar

from affidavit.domain.errors import LockTimeout
from affidavit.journal.failures import as_ours

T = TypeVar("T")
Work = Callable[[sqlite3.Connection], Any]
LARGEST_GROUP = 200


class _Job:
    __slots__ = ("done", "error", "result", "work")

    def __init__(self, work: Work) -> None:
        self.work = work
        self.done = threading.Event()
        self.result: Any = None
        self.error: BaseException | None = None


class Commits:
    """Runs jobs in shared write transactions.

    `before_commit` is called with all their writes in place, `after_commit` once they are durable, `abandoned` if not.
    """

    def __init__(
        self,
        write: Callable[[], AbstractContextManager[sqlite3.Connection]],
        before_commit: Callable[[], None],
        after_commit: Callable[[], None],
        abandoned: Callable[[], None],
        timeout: float,
    ) -> None:
        self._write = write
        self._before_commit = before_commit
        self._after_commit = after_commit
        self._abandoned = abandoned
        self._timeout = timeout
        self._gate = threading.Lock()
        self._queue: deque[_Job] = deque()
        self._leading = False

    def submit(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Returns what `work` returned, once it is durable. Raises what it raised, or LockTimeout."""
        job = _Job(work)
        with self._gate:
            self._queue.append(job)
            lead, self._leading = not self._leading, True
        if lead:
            self._lead()
        elif not job.done.wait(self._timeout):
            self._withdraw(job)
        if job.error is not None:
            raise job.error
        result: T = job.result
        return result

    def _withdraw(self, job: _Job) -> None:
        with self._gate:
            waiting = job in self._queue
            if waiting:
                self._queue.remove(job)
        if waiting:
            msg = f"the ledger was busy for {self._timeout:g} s"
            raise LockTimeout(msg, remedy="try again")
        job.done.wait()

    def _lead(self) -> None:
        while True:
            with self._gate:
                group = [self._queue.popleft() for _ in range(min(len(self._queue), LARGEST_GROUP))]
                if not group:
                    self._leading = False
                    return
            self._run(group)

    def _run(self, group: list[_Job]) -> None:
        try:
            with self._write() as connection:
                for job in group:
                    _run_alone(connection, job)
                self._before_commit()
            self._after_commit()
        except BaseException as error:
            self._abandoned()
            failure = as_ours(error)
            for job in group:
                job.error = job.error or failure
            if not isinstance(error, Exception):
                self._let_go(group, failure)
                raise
        finally:
            for job in group:
                job.done.set()

    def _let_go(self, group: list[_Job], failure: BaseException) -> None:
        """Answers whoever still waits when the leader itself is interrupted."""
        with self._gate:
            waiting = [job for job in self._queue if job not in group]
            self._queue.clear()
            self._leading = False
        for job in waiting:
            job.error = failure
            job.done.set()


def _run_alone(connection: sqlite3.Connection, job: _Job) -> None:
    connection.execute("SAVEPOINT job")
    try:
        job.result = job.work(connection)
    except Exception as error:
        if isinstance(error, sqlite3.OperationalError):
            raise  # The disk or the file failed, which concerns the whole group.
        connection.execute("ROLLBACK TO job")
        job.error = as_ours(error)
    connection.execute("RELEASE job")
