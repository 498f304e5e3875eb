"""Seed 004's names over a ledger: what `affidavit.envelope` re-exports. See docs/guides/envelope.md.

`memory` reads and writes a ledger, `extraction` reads a summary, `decay` is plain arithmetic on dictionaries.
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
