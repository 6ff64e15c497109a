"""Tests of `steer_env.players`; a package, so that other folders can import its networks."""
