"""Training runs: their settings, the training itself, and their results."""
