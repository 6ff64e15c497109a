"""Shows games in a window: side by side, forward and back, with an inspector."""

from __future__ import annotations

from typing import Any

__all__ = ["watch"]


def __getattr__(name: str) -> Any:
    if name == "watch":  # imports only now what it needs
        from steer_env.watch.watching import watch

        return watch
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
