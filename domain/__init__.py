"""What the rules are: pure functions over plain data. No I/O, no clock, no randomness; imports nothing of ours outside this folder."""
