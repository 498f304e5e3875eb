"""Affidavit: the memory ledger of an AI agent. What it came to believe about its user, on what evidence, and why.

with affidavit.init("memory", scope="ana") as ledger:
    ledger.remember("I live in Lisbon.")
    print(ledger.prompt().text)
"""

from affidavit.domain.errors import (
    AffidavitError,
    BadInput,
    CommandConflict,
    Conflict,
    ExtractionError,
    FormatTooNew,
    IntegrityFault,
    KeyMissing,
    LockTimeout,
    StorageFull,
    UnknownId,
    UsageError,
)
from affidavit.domain.messages import Message
from affidavit.domain.policy import Policy
from affidavit.domain.proposals import Extractor, ExtractorId, Passage, Proposal, Span
from affidavit.domain.roles import Actor
from affidavit.scripts.ledger import Ledger, init, restore
from affidavit.scripts.ledger import open_ledger as open  # noqa: A004 - as sqlite3 and shelve have connect and open
from affidavit.scripts.outcomes import Outcome, Remembered

__version__ = "0.1.0"

__all__ = [
    "Actor",
    "AffidavitError",
    "BadInput",
    "CommandConflict",
    "Conflict",
    "ExtractionError",
    "Extractor",
    "ExtractorId",
    "FormatTooNew",
    "IntegrityFault",
    "KeyMissing",
    "Ledger",
    "LockTimeout",
    "Message",
    "Outcome",
    "Passage",
    "Policy",
    "Proposal",
    "Remembered",
    "Span",
    "StorageFull",
    "UnknownId",
    "UsageError",
    "init",
    "open",
    "restore",
]
