"""What the programs with a window share: keys, help and messages, real time."""
