"""Live games, and recordings of them."""
