"""A league: both sides learn at once, with exploiters, against a growing pool.

`matchmaking` says which agents meet and when they join the pool, `configuration` makes RLlib's
configuration of it, and `training` runs it: ``python -m agents selfplay --method league``. What
comes after the training is that of all methods of self-play (`agents.selfplay`).
"""
