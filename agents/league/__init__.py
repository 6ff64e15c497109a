"""A league: both sides learn at once, with exploiters, against a growing pool."""
