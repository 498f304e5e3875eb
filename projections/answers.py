"""The answers to what people ask: claims, show, why, history, evidence, timeline, context, prompt.

Each is read from one snapshot, and is plain frozen data that prints as JSON. Ids are 24 hex digits, times ISO 8601 in
UTC, counted quantities decimal numbers.
"""

import math
import re
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

import msgspec

from affidavit.domain.errors import IntegrityFault, UsageError
from affidavit.domain.freshness import confidence_now, evidence_weight, freshness, is_dormant, is_expired
from affidavit.domain.normalise import words
from affidavit.domain.policy import ONE, Policy
from affidavit.domain.score import evidence_score
from affidavit.domain.times import iso
from affidavit.domain.tokens import TokenCounter
from affidavit.journal.reading import ClaimFields, EvidenceFields, EvidenceState
from affidavit.projections import inbox, prompt, provenance, standing, timeline
from affidavit.projections.active import CLAIM, Active
from affidavit.projections.archive import Archive, archived
from affidavit.projections.funnel import funnel
from affidavit.projections.inbox import Inbox
from affidavit.projections.prompt import Prompt, Rendered
from affidavit.projections.provenance import Provenance
from affidavit.projections.rows import DamagedRow, Row
from affidavit.projections.snapshot import SHOWN, Snapshot, shown
from affidavit.projections.timeline import Timeline


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim as lists show it."""

    id: str
    text: str
    form: str
    kind: str
    entity: str
    status: str
    evidence: list[str]
    live: bool = True
    namespace: str = ""
    attribute: str = ""
    value: str = ""
    polarity: str = "positive"
    confidence: float = 0.0
    corrected: bool = False


@dataclass(frozen=True, slots=True)
class Source:
    """One place that a claim stands on, in its source: the exact quote, and the sentence around it."""

    evidence: str
    source: str
    session: str
    message: str
    role: str
    speaker: str
    occurred_at: str
    revision: int
    start: int
    end: int
    quote: str
    before: str
    after: str
    extractor: str


@dataclass(frozen=True, slots=True)
class Step:
    """One event of a claim: what happened, when, by whom, and what it changed."""

    position: int
    type: str
    occurred_at: str
    recorded_at: str
    role: str
    actor: str
    changed: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Shown:
    """One claim with its state and its read-time numbers at a moment; `formula` says how they came about.

    `steps` are what its next steps require, `decisions` those that were taken, each with actual against required. The score
    of a protected claim is infinite, which JSON cannot say: it is null there.
    """

    claim: Claim
    now: str
    score: float
    freshness: float
    dormant: bool
    evidence_weight: float
    formula: list[str]
    state: dict[str, Any]
    superseded_by: str = ""
    bound_to: str = ""
    tier: str = ""
    steps: list[dict[str, Any]] = field(default_factory=list)
    decisions: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Why:
    """Why a claim is believed, or is not any more: its sources, what a person said, and what took its place.

    `parents` are the claims it was made of, and `clauses` which part of a merged sentence comes from which of them.
    """

    claim: Claim
    sources: list[Source]
    corrections: list[dict[str, str]] = field(default_factory=list)
    superseded_by: dict[str, str] | None = None
    parents: list[dict[str, str]] = field(default_factory=list)
    clauses: list[dict[str, str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Item:
    """One piece of evidence, and the ids of the claims that cite it."""

    id: str
    source: str
    session: str
    message: str
    role: str
    speaker: str
    occurred_at: str
    revision: int
    text: str
    claims: list[str]
    readings: list[str]
    targets: list[str] = field(default_factory=list)


STATUSES = frozenset(
    {
        *("active", "pending", "confirmed", "quarantined", "superseded", "absorbed", "promoted", "merged"),
        *("promote_blocked", "denied", "forgotten", "withdrawn", "archived"),
    },
)
"""What a claim's status may be (model.md §2); a test holds it to the model."""


def claims(snapshot: Snapshot, *, every: bool = False, status: str = "") -> list[Claim]:
    """Returns the live claims, or `every` claim, or those of one status, oldest evidence first."""
    _check_status(status)
    kept = [
        (state.evidence_at or 0, key, state)
        for key, (state, _) in snapshot.rows(Active()).each(snapshot.scope, CLAIM, _listed)
        if (state.status == status if status else every or state.live_at(snapshot.now))
    ]
    kept.sort()
    cited = provenance.evidence_ids(snapshot.rows(Provenance()), snapshot.scope)
    return [_claim(key, state, cited.get(key, []), snapshot) for _, key, state in kept]


def listed(snapshot: Snapshot, *, every: bool, status: str, limit: int | None, after: str) -> list[Claim]:
    """Returns all these claims, or with a `limit` one page of them. Raises UsageError for `after` without one."""
    if limit is not None:
        return page(snapshot, limit, after=after, every=every, status=status)
    if after:
        raise UsageError("a claim to go on after was given, and no limit", remedy="say how many claims a page has")
    return claims(snapshot, every=every, status=status)


def page(snapshot: Snapshot, most: int, *, after: str = "", every: bool = False, status: str = "") -> list[Claim]:
    """Returns at most so many of these claims, in the order they came in, from the start or after one of them.

    It costs the page, not the scope: the log says which claims there are. Raises UnknownId for `after`.
    """
    _check_status(status)
    if most < 1:
        msg = f"a page of {most} claims was asked for, one or more are required"
        raise UsageError(msg)
    rows, found = snapshot.rows(Active()), []
    for key in snapshot.reader.claims_after(snapshot.scope, find(snapshot, after).key if after else None):
        row = rows.get(snapshot.scope, CLAIM, key)
        if row is None:
            if snapshot.as_of is None:
                raise rows.missing(CLAIM, key)
            break  # As of a position the log goes on, and every later claim is later still.
        listed = msgspec.convert(row.natural, _Listed)
        if listed.status == status if status else every or listed.live_at(snapshot.now):
            found.append(_claim_of(snapshot, row))
        if len(found) == most:
            break
    return found


def _check_status(status: str) -> None:
    if status and status not in STATUSES:
        msg = f"status is {status!r}, one of {', '.join(sorted(STATUSES))} is required"
        raise UsageError(msg)


def these(snapshot: Snapshot, ids: Collection[bytes]) -> list[Claim]:
    """Returns the claims with these ids, live or not, oldest evidence first; it costs what they are, not the scope."""
    rows = (snapshot.rows(Active()).get(snapshot.scope, CLAIM, claim) for claim in ids)
    found = sorted((row for row in rows if row), key=lambda row: (row.natural["evidence_at"] or 0, row.key))
    return [_claim_of(snapshot, row) for row in found]


def show(snapshot: Snapshot, prefix: str) -> Shown:
    """Returns one claim with its numbers at the snapshot's moment."""
    row = find(snapshot, prefix)
    state, policy, now = row.natural, snapshot.policy, snapshot.now
    found = _score(state, now, policy)
    fresh = freshness(state["kind"], state["confirmed_at"], now, policy, pinned=state["pinned"])
    weight = evidence_weight(state["basis"], state["kind"], policy)
    aging = policy.aging(state["kind"])
    curve = f"{standing.decimal(aging.floor)} + {standing.decimal(ONE - aging.floor)} x 2^(-age/{aging.half_life} d)"
    formula = [
        standing.score_formula(state, found, now, policy),
        "freshness = 1, being pinned" if state["pinned"] else f"freshness = {curve} = {fresh:.4f}",
        f"evidence weight = 1 + {standing.decimal(policy.evidence_weight_step)} x priority = {weight:.2f}",
        *standing.feedback_factors(state, policy),
    ]
    dates = ("evidence_at", "confirmed_at", "rein_last_signal_at", "disp_last_signal_at", "expires_at")
    written = {name: iso(value) if name in dates and value is not None else value for name, value in state.items()}
    for name in ("reinforcement", "disputation", "confidence"):
        written[name] = state[name] / ONE
    written |= {name: {**state[name], "at": iso(state[name]["at"])} for name in ("utility", "accuracy") if name in state}
    written["attempts"] = row.local["attempts"]
    return Shown(
        claim=_claim_of(snapshot, row),
        now=iso(now),
        score=found,
        tier=standing.tier_of(state, found, policy),
        steps=standing.steps(state, found, policy),
        freshness=fresh,
        dormant=is_dormant(state["kind"], state["confirmed_at"], now, policy, pinned=state["pinned"]),
        evidence_weight=weight,
        formula=formula,
        state=written,
        superseded_by=shown(row.local["superseded_by"]),
        bound_to=shown(row.local["bound_to"]),
        decisions=_measured(snapshot, row),
    )


def _score(state: dict[str, Any], now: int, policy: Policy) -> float:
    if state["basis"] == "card":
        return math.inf
    clocks = state["rein_last_signal_at"], state["disp_last_signal_at"]
    return evidence_score(state["reinforcement"], state["disputation"], *clocks, now, policy)


_SCORED = frozenset({"review-required.v1", "claim-archived.v1", "promotion-blocked.v1"})


def _measured(snapshot: Snapshot, row: Row) -> list[dict[str, Any]]:
    """Returns the decisions about a claim that measured something, in order: what was found and what was required."""
    found: list[dict[str, Any]] = []
    for entry in snapshot.reader.stream(row.key, snapshot.as_of):
        fields = entry.fields
        if not isinstance(fields, ClaimFields) or not (fields.measure or entry.type in _SCORED):
            continue
        decision: dict[str, Any] = {
            "what": entry.type.partition(".")[0],
            "at": iso(entry.body.occurred_at),
            "position": entry.record.position,
        }
        if fields.rule:
            decision["rule"] = fields.rule
        if fields.measure:
            whole = ONE
            decision |= {
                "by": fields.measure.by,
                "actual": fields.measure.actual / whole,
                "required": fields.measure.required / whole,
                "sessions": fields.measure.sessions,
                "sessions_required": fields.measure.sessions_required,
            }
        else:
            # Days and attempts are counted whole, scores in millionths.
            whole = 1 if entry.type in {"claim-archived.v1", "promotion-blocked.v1"} else ONE
            decision |= {"actual": fields.actual / whole, "required": fields.required / whole}
        found.append(decision)
    return found


def why(snapshot: Snapshot, prefix: str) -> Why:
    """Returns what a claim stands on: each quote in its source sentence, and people's decisions about it."""
    row = find(snapshot, prefix)
    sources = [
        _source(snapshot, cited) for cited in provenance.citations(snapshot.rows(Provenance()), snapshot.scope, row.key)
    ]
    by = row.local["superseded_by"]
    successor = snapshot.rows(Active()).get(snapshot.scope, CLAIM, by) if by else None
    return Why(
        claim=_claim_of(snapshot, row),
        sources=sorted(sources, key=lambda source: (source.occurred_at, source.message, source.start, source.extractor)),
        corrections=_corrections(snapshot, row),
        superseded_by={"id": shown(by), "text": successor.natural["text"]} if successor else None,
        parents=_parents(snapshot, row),
        clauses=_clauses(snapshot, row),
    )


def _parents(snapshot: Snapshot, row: Row) -> list[dict[str, str]]:
    found = ((parent, snapshot.rows(Active()).get(snapshot.scope, CLAIM, parent)) for parent in row.local["parents"])
    return [
        {"id": shown(parent), "text": one.natural["text"], "form": one.natural["form"], "status": one.natural["status"]}
        for parent, one in found
        if one is not None
    ]


def _clauses(snapshot: Snapshot, row: Row) -> list[dict[str, str]]:
    """Returns which part of the newest merged wording comes from which claim; empty for a claim that is no merger."""
    for entry in reversed(snapshot.reader.stream(row.key, snapshot.as_of)):
        if entry.type == "claim-merged.v1" and entry.body.sealed:
            clauses = snapshot.reader.sealed(entry.body.id).get("clauses", ())
            return [{"text": clause["text"], "claim": shown(clause["claim"])} for clause in clauses]
    return []


def history(snapshot: Snapshot, prefix: str) -> list[Step]:
    """Returns every event of a claim, in order, with the fields of its state that each changed, and the rule of it."""
    row = find(snapshot, prefix)
    steps: list[Step] = []
    before: dict[str, Any] = {}
    for entry in snapshot.reader.stream(row.key, snapshot.as_of):
        fields = entry.fields
        after = _readable(fields, snapshot) if isinstance(fields, ClaimFields) else {}
        steps.append(
            Step(
                position=entry.record.position,
                type=entry.type.partition(".")[0],
                occurred_at=iso(entry.body.occurred_at),
                recorded_at=iso(entry.record.recorded_at),
                role=entry.body.actor.role,
                actor=snapshot.reader.name(entry.body.actor.id),
                changed={
                    name: value
                    for name, value in after.items()
                    if value != before.get(name) and (name in before or value not in _EMPTY)
                }
                | ({"rule": fields.rule} if isinstance(fields, ClaimFields) and fields.rule else {}),
            ),
        )
        before = after
    return steps


def evidence(snapshot: Snapshot, prefix: str = "") -> list[Item]:
    """Returns all evidence by time, or the one item whose id begins with `prefix`, each with what cites it."""
    rows = snapshot.rows(Provenance())
    kind = provenance.EVIDENCE
    found = [snapshot.find(rows, kind, prefix)] if prefix else rows.all(snapshot.scope, kind)
    items = [_item(snapshot, row) for row in found]
    return sorted(items, key=lambda item: (item.occurred_at, item.source, item.session, item.id))


def supported_by(snapshot: Snapshot, item: bytes) -> list[bytes]:
    """Returns the ids of the claims that cite a piece of evidence."""
    return provenance.derived_from(snapshot.rows(Provenance()), snapshot.scope, item)


def events(snapshot: Snapshot, after: int = 0) -> list[dict[str, Any]]:
    """Returns the scope's events after a position, in order, each as plain data."""
    return [
        {
            "position": row.local["position"],
            **row.natural,
            "occurred_at": iso(row.natural["occurred_at"]),
            "recorded_at": iso(row.local["recorded_at"]),
        }
        for row in timeline.events(snapshot.rows(Timeline()), snapshot.scope, after)
    ]


def matters(snapshot: Snapshot) -> list[dict[str, Any]]:
    """Returns what waits for a person, oldest first: class, text, rule, where it comes from."""
    found = inbox.matters(snapshot.rows(Inbox()), snapshot.scope)
    for matter in found:
        other = matter.get("bound_to")
        if other and other != matter.get("claim"):
            matter["against"] = snapshot.rows(Active()).get(snapshot.scope, CLAIM, other)
            matter["against"] = matter["against"].natural["text"] if matter["against"] else ""
    return [{name: _plain(value) for name, value in matter.items() if value not in (None, "")} for matter in found]


def archive(snapshot: Snapshot) -> list[dict[str, Any]]:
    """Returns the archived claims, shard by shard, each as plain data with its 24-digit id."""
    return [
        {"id": shown(row.key), **row.natural, "archived_at": iso(row.natural["archived_at"])}
        for row in archived(snapshot.rows(Archive()), snapshot.scope)
    ]


def archived_one(snapshot: Snapshot, prefix: str) -> tuple[Shown, dict[str, Any]]:
    """Returns one archived claim and where it lies. Raises UnknownId, UsageError for a claim that is not archived."""
    row = find(snapshot, prefix)
    if row.natural["status"] != "archived":
        msg = f"claim {shown(row.key)} is {row.natural['status']}, an archived one is required"
        raise UsageError(msg, remedy="`affidavit archive list` lists them")
    where = next(one for one in archive(snapshot) if one["id"] == shown(row.key))
    return show(snapshot, prefix), where


def counted(snapshot: Snapshot, since: int | None, until: int | None) -> list[dict[str, Any]]:
    """Returns the funnel of a window of time in microseconds, both ends included."""
    return funnel((row.natural for row in timeline.events(snapshot.rows(Timeline()), snapshot.scope)), since, until)


def rendered(snapshot: Snapshot, counter: TokenCounter, budget: int | None = None, namespace: str = "") -> Rendered:
    """Returns the prompt text and its manifest at the snapshot's moment."""
    return prompt.render(
        snapshot.rows(Prompt()),
        snapshot.scope,
        position=snapshot.position,
        now=snapshot.now,
        policy=snapshot.policy,
        digest=snapshot.policy_digest,
        counter=counter,
        budget=budget,
        namespace=namespace,
    )


def context(snapshot: Snapshot, query: str, counter: TokenCounter, budget: int | None = None) -> list[Claim]:
    """Returns live claims that share a word, or a pair of CJK characters, with the query; narratives are none of them.

    Ordered by the count shared, then by recency; within `budget` tokens. Recall by relevance takes its place later.
    """
    asked = words(query)
    found: list[tuple[int, int, bytes, _Listed]] = []
    for key, (state, _) in snapshot.rows(Active()).each(snapshot.scope, CLAIM, _listed):
        shared = len(asked & words(state.text))
        if shared and state.live and state.form != "narrative":
            found.append((-shared, -(state.evidence_at or 0), key, state))
    found.sort()
    spent, kept = 0, []
    for _, _, key, state in found:
        tokens = counter.count(f"- {state.text}")
        if budget is None or spent + tokens <= budget:
            spent += tokens
            kept.append(_claim(key, state, _evidence_of(snapshot, key), snapshot))
    return kept


def find(snapshot: Snapshot, prefix: str) -> Row:
    """Returns the row of the one claim whose id begins with `prefix`. Raises UnknownId, or DamagedRow for an older row."""
    row = snapshot.find(snapshot.rows(Active()), CLAIM, prefix)
    if snapshot.as_of is None and snapshot.reader.version(row.key) != row.local["version"]:
        msg = f"view active: claim {row.key.hex()[:SHOWN]} is not as its last event left it"
        raise DamagedRow(msg, remedy="run `affidavit rebuild`: views follow from the log")
    return row


class _Listed(msgspec.Struct, gc=False):
    """What a list shows of a claim's row."""

    text: str
    form: str
    kind: str
    entity: str
    status: str
    live: bool
    namespace: str
    attribute: str
    value: str
    polarity: str
    confidence: int
    confirmed_at: int | None
    evidence_at: int | None
    corrected: bool
    expires_at: int | None = None

    def live_at(self, now: int) -> bool:
        """Tells whether the claim is live, and no narrative that is over."""
        return self.live and not is_expired(self.expires_at, now)


_listed = msgspec.msgpack.Decoder(tuple[_Listed, msgspec.Raw])


def _claim_of(snapshot: Snapshot, row: Row) -> Claim:
    return _claim(row.key, msgspec.convert(row.natural, _Listed), _evidence_of(snapshot, row.key), snapshot)


def _claim(key: bytes, state: _Listed, evidence_ids: list[bytes], snapshot: Snapshot) -> Claim:
    confidence = confidence_now(state.kind, state.confidence, state.confirmed_at, snapshot.now, snapshot.policy)
    return Claim(
        id=key.hex()[:SHOWN],
        text=state.text,
        form=state.form,
        kind=state.kind,
        entity=state.entity,
        status=state.status,
        evidence=[shown(item) for item in evidence_ids],
        live=state.live_at(snapshot.now),
        namespace=state.namespace,
        attribute=state.attribute,
        value=state.value,
        polarity=state.polarity,
        confidence=confidence / ONE,
        corrected=state.corrected,
    )


def _evidence_of(snapshot: Snapshot, claim: bytes) -> list[bytes]:
    cited = provenance.citations(snapshot.rows(Provenance()), snapshot.scope, claim)
    return list(dict.fromkeys(place["evidence"] for place in cited))


def _source(snapshot: Snapshot, place: dict[str, Any]) -> Source:
    item = place["evidence"]
    state = _evidence_state(snapshot, item)
    content = snapshot.reader.message(state.contents[place["revision"] - 1])
    text, start, end = content["text"], place["start"], place["end"]
    first, last = _sentence(text, start, end)
    return Source(
        evidence=shown(item),
        source=snapshot.reader.name(state.source),
        session=content["session"],
        message=content["message"],
        role=state.role,
        speaker=content["speaker"],
        occurred_at=iso(state.occurred_at),
        revision=place["revision"],
        start=start,
        end=end,
        quote=text[start:end],
        before=text[first:start],
        after=text[end:last],
        extractor=place["extractor"],
    )


_BEGIN = re.compile(r"[.!?]\s+|[。！？\n]")


def _sentence(text: str, start: int, end: int) -> tuple[int, int]:
    """Returns the bounds of the sentence, or sentences, around a span."""
    begins = [found.end() for found in _BEGIN.finditer(text, 0, start)]
    ending = re.compile(r"[.!?](?=\s|$)|[。！？]|(?=\n)|$").search(text, end)
    return (begins[-1] if begins else 0), (ending.end() if ending else len(text))


def _evidence_state(snapshot: Snapshot, item: bytes) -> EvidenceState:
    entry = snapshot.reader.last(item, snapshot.as_of)
    if entry is None or not isinstance(entry.fields, EvidenceFields):
        msg = f"evidence {shown(item)} is not in the log"
        raise IntegrityFault(msg)
    return entry.fields.state


def _corrections(snapshot: Snapshot, row: Row) -> list[dict[str, str]]:
    """Returns what people decided about a claim: who, when, what, and the wording before."""
    found = []
    for entry in snapshot.reader.stream(row.key, snapshot.as_of):
        fields = entry.fields
        if not isinstance(fields, ClaimFields) or entry.type not in _DECIDED:
            continue
        decision = {
            "what": _DECIDED[entry.type].format(verdict=fields.verdict, disposition=fields.disposition),
            "by": snapshot.reader.name(entry.body.actor.id),
            "role": entry.body.actor.role,
            "at": iso(entry.body.occurred_at),
            "position": str(entry.record.position),
        }
        if fields.before:
            decision["before"] = snapshot.reader.sealed(fields.before)["content"]["text"]
            decision["claim"] = shown(fields.corrects)
        found.append(decision)
    return found


_DECIDED = {
    "claim-corrected.v1": "corrected",
    "claim-asserted.v1": "asserted",
    "value-rejected.v1": "rejected",
    "rejection-lifted.v1": "rejection lifted",
    "claim-denied.v1": "denied with a rejected value",
    "claim-pinned.v1": "pinned",
    "claim-unpinned.v1": "unpinned",
    "claim-unarchived.v1": "taken from the archive",
    "reply-judged.v1": "a reply was judged",
    "feedback-given.v1": "found {verdict}",
    "claim-forgotten.v1": "forgotten",
    "conflict-resolved.v1": "resolved by {disposition}",
    "change-undone.v1": "a change was undone",
    "narrative-added.v1": "added as a narrative",
    "confidence-raised.v1": "mentioned again",
}


_EMPTY = (None, "", False, 0)
"""What a claim has before anything happened to it; its first event does not list it."""


def _readable(fields: ClaimFields, snapshot: Snapshot) -> dict[str, Any]:
    state = fields.state
    read: dict[str, Any] = {
        "text": snapshot.reader.sealed(state.wording(snapshot.reader.generation(snapshot.scope)))["content"]["text"],
        "status": state.status,
        "kind": state.kind,
        "basis": state.basis,
        "confidence": state.confidence / ONE,
        "reinforcement": state.reinforcement / ONE,
        "disputation": state.disputation / ONE,
        "confirmation": state.confirmation,
        "evidence_at": iso(state.evidence_at) if state.evidence_at is not None else None,
        "sessions": state.sessions,
        "sub_zero_days": state.sub_zero_days,
        "attempts": state.attempts,
        "review": state.review,
        "vouched": state.vouched,
        "corrected": state.corrected,
        "pinned": state.pinned,
        "superseded_by": shown(state.superseded_by),
        "bound_to": shown(state.bound_to),
        "utility": state.utility.verdict if state.utility else None,
        "accuracy": state.accuracy.verdict if state.accuracy else None,
    }
    return read


def _item(snapshot: Snapshot, row: Row) -> Item:
    natural = row.natural
    cited = provenance.derived_from(snapshot.rows(Provenance()), snapshot.scope, row.key) if row.local["cited"] else []
    return Item(
        id=row.key.hex()[:SHOWN],
        source=natural["source"],
        session=natural["session"],
        message=natural["message"],
        role=natural["role"],
        speaker=natural["speaker"],
        occurred_at=iso(natural["occurred_at"]),
        revision=natural["revision"],
        text=snapshot.reader.message(row.local["contents"][-1])["text"],
        claims=[shown(claim) for claim in cited],
        readings=[_reading(*reading) for reading in natural["readings"]],
        targets=[shown(claim) for claim in row.local["targets"]],
    )


def _reading(extractor: str, revision: int, outcome: str, withheld: int = 0) -> str:
    held = f", {withheld} weaker replacement(s) withheld" if withheld else ""
    return f"{extractor} {outcome} (revision {revision}){held}"


def _plain(value: Any) -> Any:
    return shown(value) if isinstance(value, bytes) else value
