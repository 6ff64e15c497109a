"""Self-play: both sides learn, in turn or at once, against earlier policies of each other."""
