"""Records games as GIFs, videos, pictures of whole episodes, and HTML pages."""

from __future__ import annotations

from typing import Any

__all__ = ["record"]


def __getattr__(name: str) -> Any:
    if name == "record":  # imports its dependencies on first use
        from steer_env.record.recorder import record

        return record
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
