"""Training runs: what they are, how they go, and what they leave behind."""
