"""What happened: the append-only log and the only door through which it grows."""
