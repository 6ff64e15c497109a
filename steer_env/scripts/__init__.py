"""Hand-written opponents as data: what they do, their names, and their force."""
