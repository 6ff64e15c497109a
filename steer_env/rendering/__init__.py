"""Draws games with pygame, which is imported when the first frame is drawn."""
