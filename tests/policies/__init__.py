"""Tests of `steer_env.policies`; a package, so that other folders can import its networks."""
