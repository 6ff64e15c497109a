"""Records games as GIFs, videos, pictures of whole episodes, and HTML pages."""

from steer_env.record.recorder import draw_recording, record

__all__ = ["draw_recording", "record"]
