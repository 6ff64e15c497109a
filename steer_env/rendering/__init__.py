"""Draws games. `steer_env.drawing.DrawingConfig` sets the size, theme and annotations.

- `scene.draw_scene` draws a moment on a `canvas.Canvas`: pixels (`raster`) or an SVG (`svg`).
- `renderer.Renderer` draws a running game, with trails; `renderer.Replay` the moments of an
  episode, in any order; `viewer.Viewer` the games of an environment.
- `plate.Plate` draws whole episodes; `html.save_html` writes a page that plays them;
  `video.save_gif` and `video.save_mp4` write films; `window.Window` shows pictures.
"""
