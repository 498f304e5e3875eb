"""Seed 004's names over a ledger: what `affidavit.envelope` re-exports. See docs/guides/envelope.md.

`memory` reads and writes a ledger, `extraction` reads a summary, `decay` is plain arithmetic on dictionaries.
"""
