"""Records games as GIFs, videos, pictures of whole episodes, and HTML pages."""

from steer_env.record.recorder import record

__all__ = ["record"]
