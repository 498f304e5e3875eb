"""The extractors: each reads one passage of evidence and proposes claims. `rules` needs no model."""
