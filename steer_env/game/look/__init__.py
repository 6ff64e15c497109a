"""All that players see: for scripts that decide, and for observations."""
