"""A window that shows games of any players, and lets a person steer one."""

from steer_env.watch.watching import watch

__all__ = ["watch"]
