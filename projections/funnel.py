"""The funnel: how many of what was said became claims, and what became of those, within a window of time.

Counted from the events as the timeline has them, by when they occurred; both ends of the window belong to it. A question
that nobody could answer is counted as well: where a ladder has a rung missing, it shows here.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Any

STAGES = {
    "evidence-recorded": "evidence recorded",
    "evidence-revised": "evidence revised",
    "extraction-completed": "evidence read",
    "extraction-failed": "extraction failed",
    "claim-derived": "claims derived",
    "claim-asserted": "claims asserted",
    "claim-reaffirmed": "claims reaffirmed",
    "claim-related": "facts weighed",
    "confidence-raised": "confidences raised",
    "narrative-added": "narratives added",
    "claim-surfaced": "claims surfaced",
    "reply-judged": "replies judged",
    "feedback-given": "feedback given",
    "signal-applied": "signals applied",
    "claim-confirmed": "claims confirmed",
    "claim-promoted": "claims promoted",
    "claim-merged": "claims merged",
    "promotion-deferred": "promotions deferred",
    "promotion-blocked": "promotions blocked",
    "claim-superseded": "claims superseded",
    "claim-denied": "claims denied",
    "value-rejected": "values rejected",
    "rejection-lifted": "rejections lifted",
    "claim-corrected": "claims corrected",
    "claim-quarantined": "claims quarantined",
    "conflict-resolved": "conflicts resolved",
    "claim-forgotten": "claims forgotten",
    "change-undone": "changes undone",
    "write-refused": "writes refused",
    "review-required": "reviews required",
    "sub-zero-day-counted": "days below zero",
    "claim-archived": "claims archived",
    "claim-unarchived": "claims unarchived",
    "claim-mentioned": "claims mentioned",
    "prompt-injected": "prompts injected",
    "model-answered": "questions without an answer",
}
"""What each type of event counts as, in the order of a claim's life. The others are no stage."""
_SPLIT = {
    "signal-applied": "source",
    "reply-judged": "verdict",
    "feedback-given": "verdict",
    "claim-derived": "form",
    "model-answered": "question",
    "extraction-failed": "failure",
    "claim-quarantined": "rule",
    "write-refused": "rule",
    "review-required": "rule",
    "claim-denied": "rule",
}
"""By what a stage is told apart."""


def funnel(events: Iterable[dict[str, Any]], since: int | None, until: int | None) -> list[dict[str, Any]]:
    """Returns (stage, count, by what) for every stage with a count, of events given as the timeline's natural rows."""
    counts: Counter[str] = Counter()
    parts: dict[str, Counter[str]] = {}
    for event in events:
        kind, at = event["type"], event["occurred_at"]
        if kind not in STAGES or (since is not None and at < since) or (until is not None and at > until):
            continue
        if kind == "model-answered" and event.get("outcome") == "answered":
            continue  # Noted after a failure, and of questions that are asked but once; no rung is missing.
        if kind in {"claim-promoted", "claim-merged"} and event.get("status") not in {"promoted", "merged"}:
            continue  # Such an event stands in two streams; the one whose claim ended is counted.
        counts[kind] += 1
        part = event.get(_SPLIT.get(kind, ""), "")
        if kind == "model-answered":
            part = f"{part}: {event.get('outcome', '')}"
        if part:
            parts.setdefault(kind, Counter())[str(part)] += 1
    return [
        {"stage": stage, "count": counts[kind], "by": dict(sorted(parts.get(kind, Counter()).items()))}
        for kind, stage in STAGES.items()
        if counts[kind]
    ]
