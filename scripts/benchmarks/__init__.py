"""Benchmarks: what the ledger costs, each figure beside a reference that is measured in the same run."""
