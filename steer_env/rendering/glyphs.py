"""Lines of text as masks: the share of each pixel that letters cover, in pygame's font."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from steer_env.rendering.backend import import_pygame

_FINER = 4  # supersampling factor


@lru_cache(maxsize=512)
def mask_of(string: str, size: int) -> NDArray[np.uint8]:
    """Returns the mask of a line of text, (height, width), from 0 to 255.

    Letters are drawn larger, each once, and shrunk at their places between pixels: at small
    sizes pygame puts letters on whole pixels, with uneven gaps.
    """
    string = "".join(letter if letter.isprintable() else "\ufffd" for letter in string)
    advances = [_letter(letter, size)[1] for letter in string]
    height = _letter(" ", size)[0].shape[0] // _FINER
    mask = np.zeros((height, math.ceil(sum(advances) / _FINER) + 1), np.uint8)
    start = 0
    for letter, advance in zip(string, advances):
        column, phase = divmod(start, _FINER)
        shrunk = _shrunk_letter(letter, size, phase)
        wide = min(shrunk.shape[1], mask.shape[1] - column)
        cell = mask[:, column : column + wide]
        np.maximum(cell, shrunk[:, :wide], out=cell)
        start += advance
    return mask


@lru_cache(maxsize=4096)
def _shrunk_letter(letter: str, size: int, phase: int) -> NDArray[np.uint8]:
    """The mask of a letter, shifted to the right by `phase` parts of a pixel."""
    large = np.pad(_letter(letter, size)[0], ((0, 0), (phase, _FINER)))
    rows, columns = (side // _FINER for side in large.shape)
    cells = large[: rows * _FINER, : columns * _FINER].reshape(rows, _FINER, columns, _FINER)
    return cells.mean(axis=(1, 3)).astype(np.uint8)


@lru_cache(maxsize=1024)
def _letter(letter: str, size: int) -> tuple[NDArray[np.uint8], int]:
    """The enlarged mask of a letter and its advance; all masks have the same baseline."""
    pygame = import_pygame()
    pygame.font.init()
    # A new font for each letter, since fonts are invalid after pygame.quit().
    font = pygame.font.Font(None, size * _FINER)
    drawn = font.render(letter, True, (255, 255, 255))
    width, height = drawn.get_size()
    rgba = np.frombuffer(pygame.image.tobytes(drawn, "RGBA"), np.uint8)
    height_of_all = font.render(" ", True, (255, 255, 255)).get_height()
    # Letters with accents can be higher than the others; their picture begins higher.
    metrics = font.metrics(letter)[0]
    rise = max(metrics[3] - font.get_ascent(), 0) if metrics else 0
    room = _FINER * math.ceil(size / 8)  # above and below
    cell = np.zeros((height_of_all + 2 * room, width), np.uint8)
    top = max(room - rise, 0)
    cell[top : top + height] = rgba.reshape(height, width, 4)[: len(cell) - top, :, 3]
    return cell, width
