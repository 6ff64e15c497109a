"""Records games as files: moving pictures, whole episodes at a glance, pages for browsers."""

from __future__ import annotations

from typing import Any

__all__ = ["record"]


def __getattr__(name: str) -> Any:
    if name == "record":  # only then is what it needs imported
        from steer_env.record.recorder import record

        return record
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
