"""Drop-in module for programs written for tdos_memory: the same names, over a ledger.

from affidavit.envelope import get_memory_envelope, format_envelope_for_llm

`storage_client=` takes a `Ledger`; without one the ledger that AFFIDAVIT_LEDGER names is opened for the call. A user is a
scope, a guild a namespace. See docs/guides/envelope.md for what differs.
"""

from affidavit.scripts.envelope.decay import (
    apply_contradiction,
    apply_decay,
    boost_confidence,
    get_facts_by_range,
    prune_by_confidence_threshold,
)
from affidavit.scripts.envelope.extraction import (
    analyze_conversation_patterns,
    extract_facts_from_summary,
    validate_fact_against_summary,
)
from affidavit.scripts.envelope.memory import (
    add_memorable_fact,
    add_shared_narrative,
    delete_shared_narrative,
    format_envelope_for_llm,
    get_memory_envelope,
    get_shared_narratives,
    invalidate_cache,
    reinforce_fact,
)

__all__ = [
    "add_memorable_fact",
    "add_shared_narrative",
    "analyze_conversation_patterns",
    "apply_contradiction",
    "apply_decay",
    "boost_confidence",
    "delete_shared_narrative",
    "extract_facts_from_summary",
    "format_envelope_for_llm",
    "get_facts_by_range",
    "get_memory_envelope",
    "get_shared_narratives",
    "invalidate_cache",
    "prune_by_confidence_threshold",
    "reinforce_fact",
    "validate_fact_against_summary",
]
