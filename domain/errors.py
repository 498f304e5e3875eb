"""Every error that a caller may meet, in one tree. Each says what happened, where, and what to do.

    AffidavitError
    ├── UsageError            exit 2   what was asked cannot be understood or does not exist
    │   ├── UnknownId                  no claim, evidence or scope has this id, or several do
    │   └── BadInput                   a file, line or field is not what its format says
    ├── IntegrityFault        exit 3   what is stored is not what was written
    │   ├── KeyMissing                 a data key is gone that no erasure names
    │   └── FormatTooNew               the ledger was written by a newer affidavit
    ├── Conflict              exit 4   someone else holds the ledger, or the same key came with other content
    │   ├── LockTimeout
    │   ├── CommandConflict
    │   └── StorageFull
    └── ExtractionError       exit 5   an extractor or a model gave no answer
        └── OutputError                what it answered is not what was asked for

A refusal (`domain.decisions.Refused`) is not an error: it is a decision, recorded as an event.
"""


class AffidavitError(Exception):
    """The base of all errors of this package. `remedy` is one sentence on what to do, or empty."""

    exit_code = 1

    def __init__(self, message: str, *, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.message}; {self.remedy}" if self.remedy else self.message


class UsageError(AffidavitError):
    """What was asked cannot be understood; nothing was read or written."""

    exit_code = 2


class UnknownId(UsageError):
    """No record has this id in the scope, or the given prefix fits several."""


class BadInput(UsageError):
    """A file, line or field is not what its format says; the message names the place."""


class IntegrityFault(AffidavitError):
    """What is stored is not what was written. `position` is the place in the log, or None."""

    exit_code = 3

    def __init__(self, message: str, *, position: int | None = None, remedy: str = "") -> None:
        super().__init__(message, remedy=remedy or "run `affidavit verify` and restore a backup of log and keys")
        self.position = position


class KeyMissing(IntegrityFault):
    """A data key is not in the key store, and no erasure names it: another or an older key store was opened."""


class FormatTooNew(IntegrityFault):
    """The ledger was written by a newer version; it was not touched."""


class Conflict(AffidavitError):
    """Someone else got there first; nothing was written, and the call can be made again."""

    exit_code = 4


class LockTimeout(Conflict):
    """The ledger's write lock was not free within the deadline."""


class CommandConflict(Conflict):
    """A command came again under the same key, with other content, and its type has no revision."""


class StorageFull(Conflict):
    """The disk took no more; nothing was written, and nothing that was acknowledged is lost."""


class ExtractionError(AffidavitError):
    """An extractor gave no answer; the evidence stays eligible and the failure is recorded."""

    exit_code = 5


class OutputError(ExtractionError):
    """An extractor answered, but not what its question's schema says; asking again helps less than with no answer."""
