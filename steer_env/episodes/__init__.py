"""Who plays, one episode live, and an episode recorded moment by moment."""
