"""Affidavit: the memory ledger of an AI agent."""
