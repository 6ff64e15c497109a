"""Self-play: both sides learn in turn, each against all earlier policies of the other side."""
