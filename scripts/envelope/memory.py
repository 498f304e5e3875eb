"""Seed 004's envelope over a ledger: a user is a scope, a guild a namespace, `storage_client` a `Ledger`.

Without one the ledger that AFFIDAVIT_LEDGER names is opened for the call. What a program adds is a host's word, which the
gate is asked about and which lifts nothing. To let go of a narrative is a judgement, made by the ledger's own actor.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from datetime import timedelta
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any

from affidavit.domain.errors import UsageError
from affidavit.domain.grounding import is_contrary
from affidavit.domain.messages import Message
from affidavit.domain.normalise import normalise
from affidavit.domain.policy import ONE
from affidavit.domain.roles import Actor
from affidavit.domain.times import SECOND
from affidavit.projections import answers
from affidavit.projections.answers import Claim
from affidavit.projections.envelope import formatted, plain
from affidavit.scripts.bootstrap import LEDGER_VARIABLE
from affidavit.scripts.ledger import Ledger, open_ledger

if TYPE_CHECKING:
    from affidavit.domain.claims import Confirmation
    from affidavit.domain.evidence import Method
    from affidavit.domain.proposals import Kind

HOST = Actor("host", "affidavit.envelope")
SOURCE = "affidavit.envelope"
ALIKE = 0.85
"""How alike two sentences are, of 1, for one to be a mention of the other."""
_KINDS: "dict[str, Kind]" = {"USER_FACT": "fact", "USER_PATTERN": "pattern"}
_METHODS: "dict[str, Method]" = {"explicit": "local", "reinforced": "local", "inferred": "model"}
_CONFIRMATIONS: "dict[str, Confirmation]" = {
    "unconfirmed": "unconfirmed",
    "confirmed": "confirmed",
    "contradicted": "contradicted",
}


def get_memory_envelope(
    user_id: str | int,
    guild_id: str | int | None = None,
    force_refresh: bool = False,  # noqa: FBT001, FBT002 - the original's signature
    storage_client: Ledger | None = None,
) -> dict[str, Any]:
    """Returns a user's envelope, the caller's own copy; an empty one for a user whom the ledger does not know.

    It is kept for 15 minutes, until anything is recorded; `force_refresh` builds it anew.
    """
    with _ledger(storage_client) as ledger:
        there = _known(ledger, user_id)
        if there is None:
            return _nobody(user_id, guild_id)
        return there.envelope(_namespace(guild_id), fresh=force_refresh)


def format_envelope_for_llm(envelope: Mapping[str, Any], max_facts: int = 5) -> str:
    """Returns an envelope as text for a system prompt; facts below .85 are worded as what appears to be so."""
    return formatted(envelope, most=max_facts)


def add_memorable_fact(
    user_id: str | int,
    guild_id: str | int | None,
    fact: str,
    origin: str = "explicit",
    confirmation_state: str = "unconfirmed",
    confidence: float | None = None,
    fact_type: str = "USER_FACT",
    storage_client: Ledger | None = None,
) -> bool:
    """Holds a fact about a user, whose scope is opened if need be; tells whether it is held.

    False for a confidence below .5, a text that is no line, and what a person rejected. Without a confidence the host's
    table gives it: .85, or .60 where it was inferred. Raises UsageError for another origin, state or type.
    """
    from affidavit.domain.secrets import redact  # noqa: PLC0415 - reads load no pydantic
    from affidavit.journal import envelopes, verbs  # noqa: PLC0415

    method = _one_of(_METHODS, origin, "origin")
    confirmation = _one_of(_CONFIRMATIONS, confirmation_state, "confirmation_state")
    kind = _one_of(_KINDS, fact_type, "fact_type")
    text = redact(" ".join(fact.split())).text
    if not text:
        return False
    with _ledger(storage_client) as ledger:
        there = _opened(ledger, user_id)
        message = Message(
            id=there.log.new_id().hex(),
            role="system",  # The program's own voice: no extractor reads it, and no summary sums it up.
            text=text,
            at=there.clock(),
            source=SOURCE,
            namespace=_namespace(guild_id),
        )
        (recorded,) = verbs.record(there.log, there.scope, [message], HOST)
        receipt = envelopes.add_fact(
            there.log,
            there.scope,
            recorded,
            HOST,
            kind=kind,
            method=method,
            confidence=None if confidence is None else round(confidence * ONE),
            confirmation=confirmation,
            again=origin == "reinforced",
        )
        return receipt.refused is None


def reinforce_fact(
    user_id: str | int,
    guild_id: str | int | None,
    fact_text: str,
    boost: float = 0.15,
    storage_client: Ledger | None = None,
) -> bool:
    """Raises the confidence of the fact that is most like a text, up to .95 and three times a day; tells whether it did.

    Alike are .85 of both, without case, subject and full stop; what says the opposite is never alike.
    """
    from affidavit.journal import envelopes  # noqa: PLC0415

    with _ledger(storage_client) as ledger:
        there = _known(ledger, user_id)
        found = _most_alike(there, _namespace(guild_id), fact_text) if there is not None else None
        if there is None or found is None:
            return False
        claim = _key(there, found.id)
        receipt = envelopes.reinforce(there.log, there.scope, claim, round(boost * ONE), HOST)
        return receipt.refused is None and receipt.count > 0


def add_shared_narrative(
    user_id: str | int,
    guild_id: str | int | None,
    memory: str,
    tone: str = "playful",
    auto_expire_days: float | None = None,
    storage_client: Ledger | None = None,
) -> bool:
    """Keeps a warm memory, which nothing infers from; tells whether it is kept. False for less than 10 characters."""
    with _ledger(storage_client) as ledger:
        there = _opened(ledger, user_id)
        there.actor = HOST
        days = None if auto_expire_days is None else timedelta(days=auto_expire_days)
        expires = None if days is None else there.clock() + int(days.total_seconds()) * SECOND
        return not there.add_narrative(memory, tone, expires, _namespace(guild_id)).refused


def get_shared_narratives(
    user_id: str | int, guild_id: str | int | None = None, storage_client: Ledger | None = None
) -> list[dict[str, Any]]:
    """Returns a user's warm memories that are not over, oldest first."""
    with _ledger(storage_client) as ledger:
        there = _known(ledger, user_id)
        found = there.narratives(_namespace(guild_id)) if there is not None else []
        return [{**asdict(one), "type": "SHARED_NARRATIVE"} for one in found]


def delete_shared_narrative(
    user_id: str | int, memory: str, guild_id: str | int | None = None, storage_client: Ledger | None = None
) -> bool:
    """Forgets the warm memory with this text or id; tells whether there was one and it is gone. It stays in the log."""
    with _ledger(storage_client) as ledger:
        there = _known(ledger, user_id)
        if there is None:
            return False
        wanted = normalise(memory)
        namespaces = {_namespace(guild_id)} if guild_id is not None else {one.namespace for one in there.claims()}
        found = {one.id: one for namespace in namespaces for one in there.narratives(namespace)}
        chosen = [one for one in found.values() if memory == one.id or normalise(one.text) == wanted]
        done = [there.forget(one.id) for one in chosen]
        return bool(done) and not any(outcome.refused for outcome in done)


def invalidate_cache(user_id: str | int, guild_id: str | int | None = None, storage_client: Ledger | None = None) -> None:
    """Lets go of a user's kept envelope, or of all of theirs without a guild. A write does so by itself."""
    with _ledger(storage_client) as ledger:
        there = _known(ledger, user_id)
        if there is not None:
            there.envelopes.drop(there.scope, None if guild_id is None else _namespace(guild_id))


@contextmanager
def _ledger(given: Ledger | None) -> Iterator[Ledger]:
    """Yields the ledger to use. Raises UsageError where none is given and none is named."""
    if given is not None:
        yield given
        return
    path = os.environ.get(LEDGER_VARIABLE)
    if not path:
        raise UsageError(
            "no ledger was given", remedy=f"pass one as storage_client, or name its folder in {LEDGER_VARIABLE}"
        )
    with open_ledger(path) as opened:
        yield opened


def _known(ledger: Ledger, user_id: str | int) -> Ledger | None:
    """Returns the ledger looked at as the user's scope, or None where there is none."""
    name = str(user_id)
    return ledger.at(name) if name in {scope.name for scope in ledger.scopes()} else None


def _opened(ledger: Ledger, user_id: str | int) -> Ledger:
    """Returns the ledger looked at as the user's scope, which is opened if there is none."""
    there = _known(ledger, user_id)
    if there is None:
        there = ledger.at(str(user_id))
        there.open_scope(str(user_id))
    return there


def _namespace(guild_id: str | int | None) -> str:
    return "" if guild_id is None else str(guild_id)


def _nobody(user_id: str | int, guild_id: str | int | None) -> dict[str, Any]:
    return {
        "identity": {"name": "", "user_id": str(user_id), "guild_id": _namespace(guild_id)},
        "relational": {"domains": [], "preferences": {}, "memorable_facts": []},
        "recent_context": {"last_session_summary": None, "last_session_date": None},
        "last_built": None,
        "version": "1.0",
    }


def _most_alike(ledger: Ledger, namespace: str, text: str) -> Claim | None:
    """Returns the live fact that is most like a text, the first by id of equals, or None where none is alike enough."""
    wanted = normalise(plain(text))
    found = [
        (-SequenceMatcher(None, wanted, normalise(plain(one.text))).ratio(), one.id, one)
        for one in ledger.claims()
        if one.form == "fact" and one.namespace in {"", namespace} and not is_contrary(text, one.text)
    ]
    best = min(found, key=lambda one: one[:2], default=None)
    return best[2] if best is not None and -best[0] >= ALIKE else None


def _key(ledger: Ledger, claim: str) -> bytes:
    with ledger.snapshot() as at:
        return answers.find(at, claim).key


def _one_of(known: "Mapping[str, Any]", given: str, name: str) -> Any:
    if given not in known:
        msg = f"{name} is {given!r:.40}, one of {', '.join(known)} is required"
        raise UsageError(msg)
    return known[given]
