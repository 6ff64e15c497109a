"""Shows games in a window: side by side, forward and back, with an inspector."""

from steer_env.watch.watching import watch

__all__ = ["watch"]
