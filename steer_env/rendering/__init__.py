"""Draws games. `steer_env.drawing.DrawingConfig` sets the size, theme and annotations."""
