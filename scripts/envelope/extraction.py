"""Facts and patterns out of a conversation's summary, which is the only source: what it does not say is not remembered.

A model is a callable from a prompt to its reply. What it says is checked against the summary; its number of confidence is
read here, and nowhere else in affidavit. Without a model the rules read the summary, and know no patterns.
"""

import json
import math
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from affidavit.domain.errors import ExtractionError
from affidavit.domain.grounding import LEAST, is_grounded
from affidavit.domain.normalise import normalise
from affidavit.domain.policy import ONE, Policy
from affidavit.domain.proposals import Passage, Span
from affidavit.scripts import bootstrap

if TYPE_CHECKING:
    from affidavit.scripts.ledger import Ledger

Model = Callable[[str], str]
SHORTEST, SHORTEST_FOR_PATTERNS = 20, 30
"""How many characters a summary has at least from which facts, and patterns, are drawn."""
_ADMITTED, _SURE, _PATTERN = 0.5, 0.8, 0.6
_REJECTED = frozenset({"denied", "forgotten", "quarantined"})
_FENCE = re.compile(r"^\s*```[A-Za-z]*\s*\n(.*?)\n?\s*```\s*$", re.DOTALL)
_FACTS = """Extract facts about the user that this summary states, and nothing that it does not state.
Answer with a JSON list of objects: {{"text": "...", "confidence": 0.0 to 1.0, "category": "..."}}.
0.9 and more: stated with specifics; 0.7 and more: clearly stated; 0.5 and more: implied; leave out the rest.

Summary:
{summary}
"""
_PATTERNS = """Which lasting changes to the user's profile does this summary suggest? Propose only what it supports.
Answer with one JSON object: {{"confidence": 0.0 to 1.0, "proposed_updates": {{"field": "value"}}}}.

Profile as it is:
{profile}

Summary:
{summary}
"""


def extract_facts_from_summary(
    summary: str, user_id: str | int, llm: Model | None = None, storage_client: "Ledger | None" = None
) -> list[dict[str, Any]]:
    """Returns the facts that a summary states, each grounded in it; none is stored.

    `llm` is asked if it is given, and facts below .5 are left out; else the rules read it. With a ledger, what a person
    rejected in the user's scope is left out too. Raises ExtractionError where the model fails or its reply is no JSON list.
    """
    if len(summary.strip()) < SHORTEST:
        return []
    found = _by_rules(summary) if llm is None else _by_model(summary, llm)
    rejected = _rejected(storage_client, str(user_id)) if storage_client is not None else set()
    return [fact for fact in found if normalise(fact["text"]) not in rejected]


def validate_fact_against_summary(fact_text: str, summary: str, min_match_ratio: float = LEAST) -> bool:
    """Tells whether a fact is grounded in a summary: enough of its words, whole, and none of them said to the contrary."""
    return is_grounded(fact_text, summary, min_match_ratio)


def analyze_conversation_patterns(
    summary: str, user_id: str | int, existing_profile: Mapping[str, Any] | None = None, llm: Model | None = None
) -> dict[str, Any]:
    """Returns what a model proposes to change in a user's profile, with its confidence; it is applied by nobody.

    `requires_confirmation` is set below .8. Empty for a short summary, below .6, and without a model, as patterns are
    inferred and rules infer nothing. Raises ExtractionError where the model fails or its reply is no JSON object.
    """
    del user_id  # The original's signature; the proposal is about whoever the summary is about.
    if len(summary.strip()) < SHORTEST_FOR_PATTERNS or llm is None:
        return {}
    profile = json.dumps(dict(existing_profile or {}), ensure_ascii=False, default=str)
    reply = _asked(llm, _PATTERNS.format(summary=summary, profile=profile))
    if not isinstance(reply, dict):
        raise ExtractionError("the model's reply is no JSON object")
    confidence, proposed = _confidence(reply.get("confidence")), reply.get("proposed_updates")
    if confidence is None or confidence < _PATTERN or not isinstance(proposed, dict) or not proposed:
        return {}
    return {"proposed_updates": proposed, "confidence": confidence, "requires_confirmation": confidence < _SURE}


def _by_model(summary: str, llm: Model) -> list[dict[str, Any]]:
    reply = _asked(llm, _FACTS.format(summary=summary))
    if not isinstance(reply, list):
        raise ExtractionError("the model's reply is no JSON list")
    facts = []
    for one in reply:
        text = one.get("text") if isinstance(one, dict) else None
        confidence = _confidence(one.get("confidence")) if isinstance(one, dict) else None
        if not isinstance(text, str) or confidence is None or confidence < _ADMITTED or not is_grounded(text, summary):
            continue
        category = one.get("category")
        facts.append(_fact(text, confidence, category if isinstance(category, str) else "", "llm_extraction"))
    return facts


def _by_rules(summary: str) -> list[dict[str, Any]]:
    extractor, table = bootstrap.extractor("rules"), Policy().confidence
    passage = Passage(text=summary, chunk=Span(0, len(summary)), role="user")
    return [
        _fact(found.text, table.summary / ONE, found.attribute, "rules_extraction") for found in extractor.extract(passage)
    ]


def _fact(text: str, confidence: float, category: str, source: str) -> dict[str, Any]:
    return {
        "text": " ".join(text.split()),
        "type": "USER_FACT",
        "category": category or "general",
        "confidence": confidence,
        "origin": "explicit",
        "confirmation_state": "unconfirmed",
        "source": source,
    }


def _asked(llm: Model, prompt: str) -> Any:
    """Returns a model's reply as data. Raises ExtractionError where there is none; its words are not repeated."""
    try:
        reply = llm(prompt)
    except Exception as error:
        # A model is anyone's code; what it did not foresee must not look like a summary without facts.
        msg = f"the model gave no answer ({type(error).__name__})"
        raise ExtractionError(msg) from error
    if not isinstance(reply, str):
        raise ExtractionError("the model's reply is no text")
    fenced = _FENCE.match(reply)
    try:
        return json.loads(fenced[1] if fenced else reply)
    except ValueError as error:
        raise ExtractionError("the model's reply is no JSON") from error


def _confidence(given: object) -> float | None:
    """Returns a confidence of at most 1; None for what is no number."""
    if isinstance(given, bool) or not isinstance(given, int | float) or not math.isfinite(given):
        return None
    return min(float(given), 1.0)


def _rejected(ledger: "Ledger", user: str) -> set[str]:
    if user not in {scope.name for scope in ledger.scopes()}:
        return set()
    return {normalise(claim.text) for claim in ledger.at(user).claims(every=True) if claim.status in _REJECTED}
