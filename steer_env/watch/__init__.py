"""Shows games of any players in a browser, and lets a person play in a window."""

from steer_env.watch.watching import watch

__all__ = ["watch"]
