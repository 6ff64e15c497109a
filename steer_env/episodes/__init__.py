"""Live games, recordings of them, and their files."""
