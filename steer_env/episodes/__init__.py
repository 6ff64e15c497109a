"""Players, live episodes, and recorded ones."""
