"""How memory is derived again: extraction, replay, upgrade, diff. First extraction is the rebuild of unread evidence."""
