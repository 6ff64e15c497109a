"""Tests of `steer_env.envs`; a package, so that its file names may recur in other folders."""
