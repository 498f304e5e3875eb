"""The Python API: one object, a ledger, with the verbs of the command line.

    with affidavit.open("memory", scope="ana") as ledger:
        ledger.remember("I live in Lisbon.")
        print(ledger.prompt().text)

Reads never write to the log and load no pydantic; writes return what became of them, a refusal included.
"""

import getpass
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self
from zoneinfo import available_timezones

from affidavit.domain.errors import AffidavitError, BadInput, UsageError
from affidavit.domain.messages import Message
from affidavit.domain.policy import Policy
from affidavit.domain.proposals import Extractor, VoiceRole
from affidavit.domain.roles import Actor
from affidavit.domain.times import FIRST_MOMENT, LAST_MOMENT, iso, parse_time
from affidavit.domain.tokens import Estimate, TokenCounter
from affidavit.journal.failures import closed, ours
from affidavit.journal.reading import Reader
from affidavit.projections import answers, asking
from affidavit.projections.answers import Claim, Item, Shown, Step, Why
from affidavit.projections.envelope import Envelopes, Narrative
from affidavit.projections.prompt import Rendered
from affidavit.projections.snapshot import Snapshot, position_at, position_of, shown, snapshot
from affidavit.scripts import bootstrap, judging, mechanism
from affidavit.scripts.bootstrap import Store
from affidavit.scripts.given import check_text
from affidavit.scripts.given import parse as given_message
from affidavit.scripts.outcomes import Imported, Judged, Outcome, Remembered, Replied, Scope, Status, Surfaced, outcome

if TYPE_CHECKING:
    from affidavit.domain.decisions import Refused
    from affidavit.domain.memories import Legacy
    from affidavit.journal.backup import Manifest
    from affidavit.journal.log import Log
    from affidavit.journal.migrating import Migrated
    from affidavit.journal.verbs import Recorded
    from affidavit.journal.verify import Report
    from affidavit.rebuild.extraction import Tally
    from affidavit.rebuild.jobs import Jobs, Kept
    from affidavit.rebuild.loops import Done, Loops
    from affidavit.rebuild.views import Comparison

AsOf = int | str | None
"""A position, or an ISO 8601 time that is compared with when things were recorded; None for the end of the log."""
LONGEST_POSITION = 20
"""How many digits of a position are read; SQLite counts with 19."""
Now = str | int | None
"""When an answer is judged: an ISO 8601 time or microseconds since 1970; None for the clock."""


class Ledger:
    """One ledger, looked at as one scope. Threads may share it; use it as a context manager or `close` it."""

    def __init__(
        self,
        store: Store,
        scope: str | None = None,
        actor: Actor | None = None,
        counter: TokenCounter | None = None,
        writing: "_Writing | None" = None,
    ) -> None:
        self._store = store
        self._scope_name = scope
        self._scope: bytes | None = None
        self._writing = writing or _Writing()
        self._kept: Kept | None = None
        self.actor = actor or Actor("operator", getpass.getuser())
        self.counter = counter or Estimate()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Remembers the head of the log beside the keys, and closes the files; quiet if they are closed."""
        with self._writing.lock:
            if self._writing.closed:
                return
            self._writing.closed = True
            self._writing.envelopes = Envelopes()
        try:
            with ours():
                if self._writing.log is not None:
                    self._writing.log.close()
        finally:
            self._store.views.close()
            self._store.datastore.close()
            self._store.vault.keys.close()

    # -- write ---------------------------------------------------------------------------------------------------------

    def open_scope(self, name: str, time_zone: str = "UTC") -> Outcome:
        """Opens a scope and looks at it from here on. Raises UsageError if it is open already, or for its zone."""
        from affidavit.journal import verbs  # noqa: PLC0415

        scope, receipt = verbs.open_scope(self.log, name, time_zone, self.actor)
        if receipt.refused is not None and receipt.refused.rule == "name":
            msg = f"scope {name!r} is open already"
            raise UsageError(msg)
        if receipt.refused is not None:
            raise UsageError(str(receipt.refused))
        self._scope_name, self._scope = name, scope
        return outcome(receipt)

    def remember(
        self,
        messages: str | Message | Mapping[str, Any] | Iterable[str | Message | Mapping[str, Any]],
        *,
        role: VoiceRole = "user",
        namespace: str = "",
        as_claim: bool = False,
        keep_secrets: bool = False,
        extractor: str | Extractor | None = "rules",
    ) -> Remembered:
        """Records messages as evidence and lets the extractor read them.

        A message is a text, said by `role` now; a mapping with `text` and optional `id`, `role`, `time`, `name`,
        `session`, `parent`, `namespace`, `adopted`, `targets`; or a Message. `targets` are ids of the project states that a
        tool's result is about, 1 to 8. `as_claim` holds each text as the actor's own assertion instead. Secrets in a text
        are replaced by markers, unless `keep_secrets` says otherwise. Returns what came of it; known messages add nothing.
        A user's message that is feedback and nothing else, as `memory ID is useful.` and `记忆 ID 错误。`, is taken as such.
        Raises BadInput for a bad mapping.
        """
        from affidavit.journal import verbs  # noqa: PLC0415

        given = [messages] if isinstance(messages, str | Message | Mapping) else list(messages)
        wanted = [replace(self._message(message, role, namespace), asserted=as_claim) for message in given]
        recorded = list(verbs.record(self.log, self.scope, wanted, self.actor, keep_secrets=keep_secrets))
        if as_claim:
            return self._assert(recorded)
        self._note_mentions(recorded)
        # Before anything is read: what is found incorrect is not believed again because of what was said with it.
        heard, unheard = judging.hear(self, recorded)
        items = [one.item for one in recorded if one.receipt.refused is None]
        tally = self._extract(extractor, items=items) if extractor else None
        return replace(self._remembered(recorded, tally, refused=unheard), feedback=heard)

    def record(self, messages: Iterable[Message], *, keep_secrets: bool = False) -> "Iterator[Recorded]":
        """Records messages as evidence, without reading them; yields each once it is durable."""
        from affidavit.journal import verbs  # noqa: PLC0415

        return verbs.record(self.log, self.scope, messages, self.actor, keep_secrets=keep_secrets)

    def migrate(
        self, memories: Iterable["Legacy"], *, source: str, namespace: str = "", keep_secrets: bool = False
    ) -> "Iterator[Migrated]":
        """Makes memories of another system evidence and claims; yields each once it is durable."""
        from affidavit.journal import migrating  # noqa: PLC0415

        shared: dict[str, Any] = {"source": source, "namespace": namespace, "keep_secrets": keep_secrets}
        return migrating.migrate(self.log, self.scope, memories, self.actor, **shared)

    def import_file(
        self,
        path: str | Path,
        *,
        format: str = "",  # noqa: A002 - the option's name on the command line
        source: str = "",
        user: str = "",
        namespace: str = "",
        time_zone: str = "UTC",
        keep_secrets: bool = False,
        extractor: str | Extractor | None = "rules",
        progress: Callable[[str, int], None] | None = None,
    ) -> list[Imported]:
        """Records the messages of a file and lets the extractor read them; one entry for each scope that it fills.

        A store of another system's memories is migrated instead: each memory is evidence and a claim, and none is read.
        A scope that the file or the ledger names and that is not open is opened in `time_zone`. The same file twice,
        moved, or longer adds only what is new; a bad line is skipped with its number and reason, a bad memory with its
        place. Raises BadInput.
        """
        from affidavit.scripts.importing import import_file  # noqa: PLC0415

        return import_file(
            self,
            Path(path),
            form=format,
            source=source,
            user=user,
            namespace=namespace,
            time_zone=time_zone,
            keep_secrets=keep_secrets,
            extractor=extractor,
            progress=progress,
        )

    def at(self, scope: str) -> "Ledger":
        """Returns the same ledger, looked at as another scope; it shares the files and is closed with this one."""
        return Ledger(self._store, scope, self.actor, self.counter, self._writing)

    def extract(
        self,
        extractor: str | Extractor = "rules",
        *,
        again: bool = False,
        progress: Callable[[int], None] | None = None,
    ) -> "Tally":
        """Lets an extractor read what it has not read yet, or everything `again`; returns what came of it."""
        return self._extract(extractor, again=again, progress=progress)

    def correct(self, claim: str, text: str, *, value: str = "", keep_secrets: bool = False) -> Outcome:
        """Lets a claim say `text`; what it said before is rejected. Raises UnknownId.

        Secrets in the text are replaced by markers, unless `keep_secrets` says otherwise.
        """
        from affidavit.domain.secrets import redact  # noqa: PLC0415
        from affidavit.journal import verbs  # noqa: PLC0415

        if not keep_secrets:
            text, value = redact(text).text, redact(value).text
        return outcome(verbs.correct(self.log, self.scope, self._claim_id(claim), text, self.actor, value))

    def reject(self, claim: str) -> Outcome:
        """Rejects a claim's value: it is not believed again unless a person says so. Raises UnknownId."""
        from affidavit.journal import verbs  # noqa: PLC0415

        found = self._claim_id(claim)
        return outcome(verbs.reject(self.log, self.scope, found, self.actor), found)

    def pin(self, claim: str) -> Outcome:
        """Keeps a claim in sight, however old it gets; it adds no credibility. Raises UnknownId."""
        from affidavit.journal import verbs  # noqa: PLC0415

        found = self._claim_id(claim)
        return outcome(verbs.pin(self.log, self.scope, found, self.actor), found)

    def unpin(self, claim: str) -> Outcome:
        """Lets a claim age again. Raises UnknownId."""
        from affidavit.journal import verbs  # noqa: PLC0415

        found = self._claim_id(claim)
        return outcome(verbs.unpin(self.log, self.scope, found, self.actor), found)

    def add_narrative(
        self, text: str, tone: str = "playful", expires: Now = None, namespace: str = "", *, keep_secrets: bool = False
    ) -> Outcome:
        """Keeps a warm memory apart from all that is believed: nothing infers from it. `forget` lets go of it.

        `tone` is playful, warm, funny or inside_joke; from `expires` on it is withheld. Secrets in the text are replaced by
        markers, unless `keep_secrets` says otherwise. Refused for less than 10 characters.
        """
        from affidavit.domain.secrets import redact  # noqa: PLC0415
        from affidavit.journal.envelopes import add_narrative  # noqa: PLC0415

        told = check_text(text) if keep_secrets else redact(check_text(text)).text
        expires_at = None if expires is None else self.moment_of(expires)
        about: dict[str, Any] = {"tone": tone, "expires_at": expires_at, "namespace": namespace}
        return outcome(add_narrative(self.log, self.scope, told, self.actor, **about))

    def forget(self, claim: str) -> Outcome:
        """Hides a claim; it stays in the log, and its value is not believed again. Raises UnknownId."""
        from affidavit.journal import verbs  # noqa: PLC0415

        found = self._claim_id(claim)
        return outcome(verbs.forget(self.log, self.scope, found, self.actor), found)

    def resolve(self, claim: str, disposition: str, *, text: str = "", keep_secrets: bool = False) -> Outcome:
        """Decides a matter of the inbox: keep-old, keep-new, keep-both, remove-both, or manual with a text of your own.

        `claim` is the one held back, or the rejected one that a later statement met. Raises UnknownId, UsageError.
        """
        return judging.resolve(self, self._claim_id(claim), disposition, text, keep_secrets=keep_secrets)

    def undo(self, position: int) -> Outcome:
        """Takes back what was changed with the event at this position, as `history` and `timeline` print it.

        Refused where what it set has changed since. Raises UsageError for a position without a record of this scope.
        """
        from affidavit.journal import undoing  # noqa: PLC0415

        return outcome(undoing.undo(self.log, self.scope, position, self.actor))

    def feedback(self, claim: str, verdict: str, *, id: str = "", at: Now = None) -> Judged:  # noqa: A002 - as in messages
        """Takes a verdict on a claim: useful or unhelpful, accurate or incorrect. The last one given of each pair holds.

        `id` is the caller's own id of this feedback: once taken, it is not taken again, whatever happened since. `at` is
        when it was given. No verdict moves a counter, a clock or the evidence date; incorrect holds the claim back. Raises
        UnknownId, and UsageError for another verdict.
        """
        return judging.feedback(self, claim, verdict, id, None if at is None else self.moment_of(at, "time"))

    def surface(self, *, most: int | None = None, now: Now = None, seed: bytes | None = None) -> list[Surfaced]:
        """Returns the claims that the agent may ask its user about now, at most three, and marks them as surfaced.

        `seed`, 32 bytes, is the randomness of the draw.
        """
        return mechanism.surface(self, self.moment_of(now), most, seed)

    def reply(
        self,
        text: str,
        *,
        claim: str = "",
        verdict: str = "",
        quote: str = "",
        now: Now = None,
        extractor: str | Extractor = "rules",
    ) -> Replied:
        """Records the user's reply to what was surfaced, and takes what it says: verdict and signal together.

        Without a `verdict` (confirms, denies, ignores, unclear) the extractor is asked; where it cannot tell, nothing is
        counted and the claim is asked about again. A host that gives a verdict shows with `quote` the words that say so.
        Raises UsageError if nothing was surfaced, ExtractionError if the reply could not be judged; it is recorded then.
        """
        made = bootstrap.extractor(extractor) if isinstance(extractor, str) else extractor
        moment = self.moment_of(now)
        return mechanism.reply(self, text, claim=claim, verdict=verdict, quote=quote, now=moment, extractor=made)

    def injected(self, manifest: Rendered | Mapping[str, Any] | str) -> Outcome:
        """Notes that a prompt really went to a model, by what `prompt` returned or by its manifest. Raises BadInput."""
        return mechanism.injected(self, manifest)

    def unarchive(self, claim: str) -> Outcome:
        """Takes a claim back from the archive, with a clean tally. Raises UnknownId."""
        from affidavit.journal import verbs  # noqa: PLC0415

        return outcome(verbs.unarchive(self.log, self.scope, self._claim_id(claim), self.actor))

    def switch_mode(self, *, powerful: bool, now: Now = None) -> Outcome:
        """Switches powerful memory on or off; what came while it was off is not caught up."""
        from affidavit.journal import steps  # noqa: PLC0415

        moment = self.moment_of(now)
        return outcome(steps.switch_mode(self.log, self.scope, self.actor, powerful=powerful, now=moment))

    def loops(self, extractor: str | Extractor = "rules") -> "Loops":
        """Returns the loops of this scope: `tick(now)` does once what is due, `run` works at the policy's intervals.

        One program at a time: hold `loops.lease()` meanwhile.
        """
        from affidavit.rebuild.loops import Loops  # noqa: PLC0415

        made = bootstrap.extractor(extractor) if isinstance(extractor, str) else extractor
        return Loops(self.log, self.scope, made, self.counter)

    def tick(self, *, now: Now = None, extractor: str | Extractor = "rules") -> "Done":
        """Does once whatever is due: reading, promotion, reflections, the archive sweep. Raises LockTimeout.

        Who ticks often keeps the object that `loops` returns: it reads the scope once.
        """
        loops = self.loops(extractor)
        with loops.lease():
            return loops.tick(self.moment_of(now))

    def adopt_policy(self, policy: Policy) -> Outcome:
        """Puts a policy in force from here on."""
        from affidavit.journal import verbs  # noqa: PLC0415

        return outcome(verbs.adopt_policy(self.log, self.scope, policy, self.actor))

    # -- read ----------------------------------------------------------------------------------------------------------

    def scopes(self) -> list[Scope]:
        """Returns the scopes of this ledger, in the order of opening."""
        with self._read() as reader:
            return [
                Scope(shown(scope), reader.scope_name(scope), reader.time_zone(scope), records)
                for scope, records in reader.scopes()
            ]

    def claims(
        self,
        *,
        every: bool = False,
        status: str = "",
        limit: int | None = None,
        after: str = "",
        as_of: AsOf = None,
        now: Now = None,
    ) -> list[Claim]:
        """Returns the live claims, `every` claim, or those of one status, oldest evidence first.

        With a `limit` one page of them, in the order they came in; `after` is the id of the last one of the page before.
        Raises UnknownId for `after`.
        """
        with self.snapshot(as_of, now) as at:
            return answers.listed(at, every=every, status=status, limit=limit, after=after)

    def show(self, claim: str, *, as_of: AsOf = None, now: Now = None) -> Shown:
        """Returns one claim, its state and its numbers. Raises UnknownId."""
        with self.snapshot(as_of, now) as at:
            return answers.show(at, claim)

    def why(self, claim: str, *, as_of: AsOf = None, now: Now = None) -> Why:
        """Returns what a claim stands on: quotes in their sources, and people's decisions. Raises UnknownId."""
        with self.snapshot(as_of, now) as at:
            return answers.why(at, claim)

    def history(self, claim: str, *, as_of: AsOf = None) -> list[Step]:
        """Returns a claim's events, in order. Raises UnknownId."""
        with self.snapshot(as_of, None) as at:
            return answers.history(at, claim)

    def evidence(self, item: str = "", *, as_of: AsOf = None) -> list[Item]:
        """Returns all evidence, or one item, each with the claims that cite it. Raises UnknownId."""
        with self.snapshot(as_of, None) as at:
            return answers.evidence(at, item)

    def timeline(self, *, after: int = 0, as_of: AsOf = None) -> list[dict[str, Any]]:
        """Returns the scope's events after a position, in order."""
        with self.snapshot(as_of, None) as at:
            return answers.events(at, after)

    def inbox(self, *, as_of: AsOf = None) -> list[dict[str, Any]]:
        """Returns what waits for a person, oldest first."""
        with self.snapshot(as_of, None) as at:
            return answers.matters(at)

    def prompt(self, *, budget: int | None = None, namespace: str = "", as_of: AsOf = None, now: Now = None) -> Rendered:
        """Returns the text that goes to a model, and its manifest."""
        with self.snapshot(as_of, now) as at:
            return answers.rendered(at, self.counter, budget, namespace)

    def context(self, query: str, budget: int | None = None, *, as_of: AsOf = None, now: Now = None) -> list[Claim]:
        """Returns the live claims that share words with a query, within `budget` tokens."""
        with self.snapshot(as_of, now) as at:
            return answers.context(at, query, self.counter, budget)

    def envelope(self, namespace: str = "", now: Now = None, *, fresh: bool = False) -> dict[str, Any]:
        """Returns what is remembered of the user: `identity`, `relational` and `recent_context`, best facts first.

        One namespace and the unnamed one. An envelope is kept for the policy's `cache_seconds`, until anything is recorded;
        `fresh` builds it anew, and so does a `now`. What is returned is the caller's own.
        """
        with self.snapshot(None, now) as at:
            kept = None if fresh or now is not None else self.envelopes.get(at, namespace)
            if kept is not None:
                return kept
            built = self.envelopes.build(at, namespace, user=at.reader.scope_name(at.scope), fresh=fresh)
            if now is None:
                self.envelopes.keep(at, namespace, built)
            return built

    def narratives(self, namespace: str = "", now: Now = None) -> list[Narrative]:
        """Returns the shared narratives of one namespace and the unnamed one that are not over, oldest first."""
        with self.snapshot(None, now) as at:
            return self.envelopes.narratives(at, namespace)

    def archive(self, *, as_of: AsOf = None) -> list[dict[str, Any]]:
        """Returns the archived claims, shard by shard."""
        with self.snapshot(as_of, None) as at:
            return answers.archive(at)

    def mode(self, *, as_of: AsOf = None) -> dict[str, Any]:
        """Returns whether powerful memory is on (`powerful`), and since when (`since`, None from the beginning)."""
        with self.snapshot(as_of, None) as at:
            mode = at.reader.mode(at.scope, as_of if isinstance(as_of, int) else at.as_of)
        return {"powerful": mode.powerful, "since": iso(mode.since) if mode.since else None}

    def jobs(self, extractor: str | Extractor = "rules", *, now: Now = None) -> "Jobs":
        """Returns how an extractor's work stands: pending, running, done, failed, paused, and the calls of the last hour."""
        from affidavit.rebuild.jobs import jobs  # noqa: PLC0415

        made = bootstrap.extractor(extractor) if isinstance(extractor, str) else extractor
        return jobs(self.log, self.scope, made, self.moment_of(now))

    def funnel(self, *, since: Now = None, until: Now = None, as_of: AsOf = None) -> list[dict[str, Any]]:
        """Returns how many events of each stage occurred within a window, both ends included; None leaves an end open."""
        with self.snapshot(as_of, None) as at:
            window = {"since": since, "until": until}
            ends = [None if end is None else self._now(at.reader, None, end, name) for name, end in window.items()]
            return answers.counted(at, *ends)

    def policy(self, *, as_of: AsOf = None) -> Policy:
        """Returns the policy in force."""
        with self.snapshot(as_of, None) as at:
            return at.policy

    def status(self) -> Status:
        """Returns where the ledger stands."""
        self._check_open()
        views = {kind.name: self._store.views.position(kind()) for kind in bootstrap.PROJECTIONS}
        with self._read() as reader:
            position = reader.head().position
        size = sum(path.stat().st_size for path in self._store.folder.glob("log.db*"))
        return Status(str(self._store.folder), position, self.scopes(), size, views)

    @contextmanager
    def snapshot(self, as_of: AsOf = None, now: Now = None) -> Iterator[Snapshot]:
        """Yields one state of the scope: everything read from it belongs together."""
        with self._read() as reader:
            position = self._position(reader, as_of)
            moment = self._now(reader, position, now)
            with snapshot(reader, self._store.views, self._scope_in(reader), position, moment) as at:
                yield at

    # -- keep ----------------------------------------------------------------------------------------------------------

    def rebuild(self) -> None:
        """Builds every view anew from the log, beside the old ones, and swaps them in."""
        with self._read() as reader:
            for kind in bootstrap.PROJECTIONS:
                self._store.views.rebuild(kind(), reader)

    def rebuild_index(self) -> int:
        """Makes the decision index anew from the records; returns the position it ended at.

        Raises IntegrityFault for a record that is not what was written; then nothing was changed.
        """
        from affidavit.journal.indexing import rebuild_index  # noqa: PLC0415

        self._check_open()
        with ours(), self._store.datastore.write() as connection:
            return rebuild_index(connection)

    def check_views(self) -> "list[Comparison]":
        """Compares each view, as it stands, with one built anew in memory; names the rows that differ."""
        from affidavit.rebuild.views import compare  # noqa: PLC0415

        with self._read() as reader:
            return [found for kind in bootstrap.PROJECTIONS for found in compare(kind(), self._store.views, reader)]

    def verify(self, *, chain_only: bool = False) -> "Report":
        """Checks the whole log: bodies, links, versions, sealed texts, decision index, remembered head.

        With `chain_only` digests, links and the remembered head alone; see `journal.verify`.
        """
        from affidavit.journal.verify import verify  # noqa: PLC0415

        self._check_open()
        with ours():
            return verify(self._store.datastore, self._store.vault, chain_only=chain_only)

    def back_up(self, target: str | Path) -> "Manifest":
        """Copies log and keys, as one pair that belongs together, into a new folder; writers may go on."""
        from affidavit.journal.backup import back_up  # noqa: PLC0415

        self._check_open()
        with ours():
            return back_up(self._store.folder / "log.db", self._store.vault.keys, Path(target))

    # -- inside --------------------------------------------------------------------------------------------------------

    @property
    def log(self) -> "Log":
        """Returns the writing side, opened when it is first needed."""
        self._check_open()
        with self._writing.lock:
            if self._writing.log is None:
                with ours():
                    self._writing.log = self._store.log()
            return self._writing.log

    @property
    def envelopes(self) -> Envelopes:
        """Returns the envelopes that this ledger keeps, whichever scope it is looked at as."""
        return self._writing.envelopes

    @property
    def clock(self) -> Callable[[], int]:
        """Returns the ledger's clock: microseconds since 1970 UTC."""
        return self._store.clock

    @property
    def scope(self) -> bytes:
        """Returns the id of the scope looked at. Raises UsageError if it is not open, or which one is not said."""
        if self._scope is None:
            with self._read() as reader:
                self._scope = self._scope_in(reader)
        return self._scope

    @contextmanager
    def _read(self) -> Iterator[Reader]:
        self._check_open()
        with ours(), self._store.datastore.read() as connection:
            yield Reader(connection, self._store.vault)

    def _check_open(self) -> None:
        if self._writing.closed:
            raise closed()

    def _scope_in(self, reader: Reader) -> bytes:
        if self._scope is not None:
            return self._scope
        named = {reader.scope_name(scope): scope for scope, _ in reader.scopes()}
        if self._scope_name is None and len(named) == 1:
            self._scope = next(iter(named.values()))
        elif self._scope_name in named:
            self._scope = named[self._scope_name]
        else:
            names = ", ".join(sorted(named)) or "none"
            if self._scope_name is None:
                msg = f"this ledger has several scopes: {names}" if named else "this ledger has no scope yet"
                raise UsageError(msg, remedy="say which one with --scope, or open one with `affidavit init --scope NAME`")
            msg = f"there is no scope {self._scope_name!r}; open scopes: {names}"
            raise UsageError(msg, remedy=f"open it with `affidavit init --scope {self._scope_name}`")
        return self._scope

    def _position(self, reader: Reader, as_of: AsOf) -> int | None:
        if as_of is None:
            return None
        if isinstance(as_of, int):
            return position_of(reader, as_of)
        if as_of.isdecimal():
            return position_of(reader, int(as_of[:LONGEST_POSITION]))  # What is longer is out of range either way.
        position = position_at(reader, self._moment(reader, as_of, "as-of"))
        if position == 0:
            msg = f"nothing was recorded yet at {as_of}"
            raise UsageError(msg)
        return position

    def _now(self, reader: Reader, position: int | None, now: Now, name: str = "now") -> int:
        if isinstance(now, int):
            if not FIRST_MOMENT <= now <= LAST_MOMENT:
                msg = f"{name} is {now}, microseconds of the years 2 to 9998 are required"
                raise UsageError(msg)
            return now
        if now is not None:
            return self._moment(reader, now, name)
        return self._store.clock() if not position else reader.at(position).recorded_at

    def _moment(self, reader: Reader, text: str, name: str) -> int:
        try:
            return parse_time(text, reader.time_zone(self._scope_in(reader)))[0]
        except ValueError as error:
            wanted = "a position or an ISO 8601 time" if name == "as-of" else "an ISO 8601 time"
            msg = f"{name} is {text!r}, {wanted} is required"
            raise UsageError(msg) from error

    def moment_of(self, now: Now, name: str = "now") -> int:
        """Returns a moment in microseconds: as given, or the clock's. Raises UsageError, which calls it `name`."""
        with self._read() as reader:
            return self._now(reader, None, now, name)

    def hear(self, text: str, extractor: Extractor, now: int) -> tuple[bytes, str]:
        """Records what the user says at a moment, and lets the extractor read it; returns its evidence id and kept text."""
        from affidavit.journal import verbs  # noqa: PLC0415

        message = replace(self._message(text, "user", ""), at=now)
        (recorded,) = verbs.record(self.log, self.scope, [message], self.actor)
        self._extract(extractor, items=[recorded.item])
        return recorded.item, recorded.message.text

    def _claim_id(self, prefix: str) -> bytes:
        with self.snapshot() as at:
            return answers.find(at, prefix).key

    def _message(self, given: str | Message | Mapping[str, Any], role: VoiceRole, namespace: str) -> Message:
        if isinstance(given, Message):
            check_text(given.text)
            return given
        with self._read() as reader:
            zone = reader.time_zone(self._scope_in(reader))
        return given_message(
            {"text": given} if isinstance(given, str) else given,
            role=role,
            namespace=namespace,
            zone=zone,
            now=self._store.clock(),
            fresh=self._store.new_id().hex(),
            target=self._project_state,
        )

    def _project_state(self, prefix: str) -> bytes:
        """Returns the claim that may be nominated by this id. Raises UnknownId, and BadInput for one of another kind."""
        with self.snapshot() as at:
            row = answers.find(at, prefix)
        if row.natural["kind"] != "project_state":
            msg = f"targets has a claim of kind {row.natural['kind']}, project_state is required"
            raise BadInput(msg)
        return row.key

    def _extract(
        self,
        extractor: str | Extractor,
        *,
        again: bool = False,
        items: list[bytes] | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> "Tally":
        from affidavit.rebuild.extraction import extract  # noqa: PLC0415
        from affidavit.rebuild.jobs import Kept  # noqa: PLC0415

        made = bootstrap.extractor(extractor) if isinstance(extractor, str) else extractor
        if self._kept is None or self._kept.scope != self.scope:
            self._kept = Kept(self.scope)
        return extract(self.log, self.scope, made, again=again, items=items, progress=progress, kept=self._kept)

    def _note_mentions(self, recorded: "Sequence[Recorded]") -> None:
        """Counts what the agent's own words just brought up; a message of the past, imported, repeats nothing now."""
        from affidavit.journal import steps  # noqa: PLC0415

        spoken = [one for one in recorded if one.message.role == "assistant" and not one.receipt.repeated]
        if not spoken:
            return
        with self.snapshot() as at:
            claims = asking.mentionable(at)
        for one in spoken if claims else ():
            names = (one.message.speaker,) if one.message.speaker else ()
            steps.mention(self.log, self.scope, one.item, claims, self.actor, names)

    def _assert(self, recorded: "Sequence[Recorded]") -> Remembered:
        from affidavit.journal import verbs  # noqa: PLC0415

        receipts = [verbs.assert_claim(self.log, self.scope, one, self.actor) for one in recorded]
        refused = [_refusal(receipt.refused) for receipt in receipts if receipt.refused]
        held = [event.stream for receipt in receipts for event in receipt.events if event.stream_class == "claim"]
        return self._remembered(recorded, None, held, refused)

    def _remembered(
        self,
        recorded: "Sequence[Recorded]",
        tally: "Tally | None",
        held: Sequence[bytes] = (),
        refused: Sequence[dict[str, str]] = (),
    ) -> Remembered:
        ids = {*held, *(tally.claims if tally else ())}
        # Loops that run beside may have been first to read a message: what cites it is what it says.
        read_by_others = tally is not None and tally.read < len(recorded)
        ids |= self._cited_by([one.item for one in recorded if one.receipt.repeated or read_by_others])
        receipts = [one.receipt for one in recorded]
        refusals = [*refused, *(_refusal(receipt.refused) for receipt in receipts if receipt.refused)]
        if tally:
            refusals += [
                {"rule": event.rule, "text": event.text, "actual": event.actual, "required": event.required}
                for event in tally.refused
            ]
        return Remembered(
            position=self.position,
            evidence=[shown(one.item) for one in recorded if not one.receipt.refused],
            claims=self._these(ids),
            refused=refusals,
            known=sum(1 for receipt in receipts if receipt.repeated),
            revised=sum(1 for one in receipts for event in one.events if event.type_name == "evidence-revised.v1"),
            failed=tally.failed if tally else 0,
            withheld=tally.withheld if tally else 0,
            pending=tally.pending + tally.running if tally else 0,
            secrets=[{"kind": secret.kind, "line": secret.line} for one in recorded for secret in one.secrets],
        )

    def _these(self, ids: set[bytes]) -> list[Claim]:
        if not ids:
            return []
        with self.snapshot() as at:
            return answers.these(at, ids)

    def _cited_by(self, items: Sequence[bytes]) -> set[bytes]:
        """Returns the ids of the claims that known messages support."""
        if not items:
            return set()
        with self.snapshot() as at:
            return {claim for item in items for claim in answers.supported_by(at, item)}

    @property
    def scope_name(self) -> str | None:
        """Returns the name of the scope that was asked for, or None where the ledger's only one is meant."""
        return self._scope_name

    @property
    def only_scope(self) -> str:
        """Returns the name of the ledger's one scope. Raises UsageError if it has none or several."""
        with self._read() as reader:
            return reader.scope_name(self._scope_in(reader))

    @property
    def position(self) -> int:
        """Returns the last position of the log."""
        with self._read() as reader:
            return reader.head().position


class _Writing:
    """What all ledgers of one store share: the one log that they write through, kept envelopes, and whether it is closed."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.log: Log | None = None
        self.envelopes = Envelopes()
        self.closed = False


def _refusal(refused: "Refused") -> dict[str, str]:
    return {"rule": refused.rule, "actual": refused.actual, "required": refused.required}


def open_ledger(
    path: str | Path,
    *,
    scope: str | None = None,
    actor: Actor | None = None,
    keys: str | Path | None = None,
    counter: TokenCounter | None = None,
    clock: Callable[[], int] = bootstrap.system_clock,
    check: bool = True,
) -> Ledger:
    """Opens a ledger that exists. `scope` may be left out if it has one; `keys` is where the key store lies.

    `check` compares the log with the head remembered beside the keys; without it a log that was cut can be verified.
    Raises UsageError if there is none, KeyMissing without its keys, IntegrityFault where the log was cut.
    """
    opened = bootstrap.store(Path(path), keys=Path(keys) if keys else None, check=check, clock=clock)
    return Ledger(opened, scope, actor, counter)


def restore(backup: str | Path, path: str | Path) -> "Manifest":
    """Makes a ledger of a backup, in a folder that does not exist yet; it is verified before it is in place.

    Raises KeyMissing or IntegrityFault for half of a pair, and says what would be lost; nothing is made then.
    """
    from affidavit.journal.backup import restore as restored  # noqa: PLC0415

    with ours():
        return restored(Path(backup), Path(path), bootstrap.datastore)


def init(
    path: str | Path,
    *,
    scope: str,
    time_zone: str = "UTC",
    actor: Actor | None = None,
    keys: str | Path | None = None,
    counter: TokenCounter | None = None,
    clock: Callable[[], int] = bootstrap.system_clock,
    random: Callable[[int], bytes] = os.urandom,
) -> Ledger:
    """Makes a ledger with one scope, or opens another scope in one that exists. Losing the keys loses the text.

    Raises UsageError for a scope that is open already or a zone that is unknown, and what `open` raises.
    """
    if time_zone not in available_timezones():
        msg = f"time zone is {time_zone!r}, a zone of the IANA database such as Europe/Lisbon is required"
        raise UsageError(msg)
    fresh = not (Path(path) / "log.db").exists()
    opened = bootstrap.store(Path(path), keys=Path(keys) if keys else None, create=fresh, clock=clock, random=random)
    ledger = Ledger(opened, None, actor, counter)
    try:
        _ = ledger.log
        ledger.open_scope(scope, time_zone)
    except AffidavitError:
        ledger.close()
        raise
    return ledger
