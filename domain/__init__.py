"""What the rules are: pure functions over plain data. No I/O, no clock, no randomness; imports no other folder of ours."""
