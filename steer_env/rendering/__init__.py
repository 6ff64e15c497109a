"""Draws games with pygame, which is imported when the first frame is drawn.

- `scene.draw_scene` draws one record of a game's state on a pygame surface.
- `window.Renderer` turns records into arrays, or shows them in a window, with trails.
- `gif.save_gif` saves frames as an animated GIF.
"""
