"""Named games, in the form in which users write theirs."""
