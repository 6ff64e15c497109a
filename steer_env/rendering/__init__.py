"""Draws games; nothing that draws is imported before the first picture.

- `settings.DrawingConfig` says how: size, theme, annotations.
- `scene.draw_scene` draws a moment on a `canvas.Canvas`: pixels (`raster`) or an SVG (`svg`).
- `renderer.Renderer` turns the records of a game that goes on into pictures, with trails;
  `replay.Replay` the moments of an episode, in any order; `viewer.Viewer` an environment's.
- `plate.draw_plate` draws whole episodes at a glance; `html.save_html` writes a page that plays
  them; `gif.save_gif` and `video.save_mp4` write films; `window.Window` shows pictures.
"""
