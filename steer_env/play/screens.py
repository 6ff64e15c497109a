"""Texts over and around the scene: score line, countdown, pause, and the card at the end."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from steer_env.drawing import Theme
from steer_env.interface.buttons import Button, Pointer
from steer_env.interface.overlay import draw_box, text_size
from steer_env.play.best_times import BestTime
from steer_env.play.conclusion import best_text, comparisons, headline
from steer_env.play.lines import Block, Line, line, text
from steer_env.play.rounds import Round, rivals
from steer_env.play.visit import Visit
from steer_env.rendering.canvas import Canvas
from steer_env.rendering.texts import fitted
from steer_env.sides import Side

MARGIN = 0.025
"""Space around the arena that stays free of texts, as a share of the scene's shorter side."""

_BAND = 2.9  # height of the score line and its bar, in font sizes
_FOOT = 2.0
_BAR = 0.4
_WIDEST = 34  # of a panel, in font sizes: longer lines are hard to read
_NARROWEST = 10  # of a panel beside the arena, in font sizes


class Layout:
    """Places in a window, in pixels.

    Args:
        width: width of the window.
        height: height of the window.

    Attributes:
        width: as given.
        height: as given.
        size: size of the font.
        top: first row of the scene.
        bottom: one past the last row of the scene.
    """

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height, self.size = width, height, text_size(width, height)
        self.top, self.bottom = round(_BAND * self.size), height - round(_FOOT * self.size)

    @property
    def scene_middle(self) -> complex:
        """Middle of the scene."""
        return complex(self.width, self.top + self.bottom) / 2


class Screen:
    """Draws texts and buttons in a window.

    Args:
        canvas: the whole window.
        theme: colors.
        pointer: the pointer, which learns where the buttons are.
        do: acts as if a key was pressed.

    Attributes:
        canvas: as given.
        theme: as given.
        layout: places in the window.
    """

    def __init__(
        self, canvas: Canvas, theme: Theme, pointer: Pointer, do: Callable[[str], object]
    ) -> None:
        self.canvas, self.theme, self._pointer, self._do = canvas, theme, pointer, do
        self.layout = Layout(canvas.width, canvas.height)

    def button(
        self,
        label: str,
        act: Callable[[], object] | str,
        key: str = "",
        is_filled: bool = False,
    ) -> Button:
        """Returns a button.

        Args:
            label: what it does.
            act: the action, or the key that it stands for.
            key: the key as people write it, to show; "" for none.
            is_filled: whether it stands out.
        """
        if isinstance(act, str):
            return Button(label, lambda: self._do(act), self.theme, key, is_filled)
        return Button(label, act, self.theme, key, is_filled)

    def draw_page(self, lines: list[Line], size: float = 1.3) -> None:
        """Draws lines in the middle of the empty window, in letters of at most a size."""
        self.canvas.fill(self.theme.background)
        corner = complex(self.layout.width, self.layout.height)
        room = corner - complex(2, 1.6) * self.layout.size
        block = Block(self.canvas, lines, room.real, room.imag, size * self.layout.size)
        block.draw(corner / 2, self._pointer)

    def draw_score(self, played: Round, best: BestTime | None) -> None:
        """Draws the score line: time, distance, best time, and a bar of the time left."""
        config, status = played.challenge.config, played.duel.status
        game = status.record["game"]
        words = f"distance {game['distance']:.1f} m"
        if status.is_captured:
            words = "caught"
        elif config.evaders > 1:
            words = f"{game['captured']} of {config.evaders} caught, {words}"
        self.draw_head(
            f"{status.seconds:.1f} s",
            words,
            f"best {best.seconds:.1f} s" if best else "no best yet",
            played.seconds_left / (config.horizon * config.dt),
            played.challenge.side,
        )

    def draw_head(self, left: str, middle: str, right: str, share: float, side: Side) -> None:
        """Draws three texts above the scene, and below them a bar that is filled to a share."""
        canvas, theme, layout = self.canvas, self.theme, self.layout
        size, inset = layout.size, 0.7 * layout.size
        row = 0.5 * (_BAND - 2 * _BAR) * size
        canvas.rectangle(theme.background, 0j, complex(layout.width, layout.top))
        canvas.text(left, theme.ink, complex(inset, row), 1.4 * size)
        canvas.text(middle, theme.ink, complex(layout.width / 2, row), 1.1 * size, 0.5)
        canvas.text(right, theme.faint, complex(layout.width - inset, row), 1.1 * size, 1.0)
        top = layout.top - 1.5 * _BAR * size
        start, end = complex(inset, top), complex(layout.width - inset, top + _BAR * size)
        canvas.rectangle(theme.grid, start, end)
        end = complex(inset + share * (end - start).real, end.imag)
        canvas.rectangle(theme.of(side), start, end)

    def draw_foot(self, words: str, keys: str | Sequence[Button]) -> None:
        """Draws a line below the scene: words on the left, keys or buttons on the right."""
        canvas, theme, layout = self.canvas, self.theme, self.layout
        corner = complex(layout.width, layout.height)
        canvas.rectangle(theme.background, complex(0, layout.bottom), corner)
        size, inset = 0.9 * layout.size, 0.7 * layout.size
        row = (layout.bottom + layout.height) / 2
        if isinstance(keys, str):
            taken = canvas.text_width(keys, size)
            canvas.text(keys, theme.faint, complex(layout.width - inset, row), size, 1.0)
        else:
            height = layout.height - layout.bottom
            block = Block(canvas, [Line(tuple(keys))], layout.width - inset, height, size)
            taken = block.extent.real
            block.draw(complex(layout.width - taken / 2 - inset / 2, row), self._pointer)
        room = layout.width - 2 * inset - taken - size
        canvas.text(fitted(canvas, words, size, room), theme.faint, complex(inset, row), size)

    def draw_person(self, place: complex, side: float, is_named: bool) -> None:
        """Draws a ring around the person's vehicle, with "you" if it is named.

        Args:
            place: place of the vehicle, in pixels.
            side: side of the scene, in pixels.
            is_named: whether to draw the word.
        """
        canvas, ink, size, radius = self.canvas, self.theme.ink, self.layout.size, 0.042 * side
        canvas.ring(ink, place, radius, max(1.2, side / 330), 0.9 if is_named else 0.4, 10)
        if is_named:
            away = radius + 0.7 * size
            is_low = place.imag + away + 0.7 * size > self.layout.bottom
            row = place.imag - away if is_low else place.imag + away
            canvas.text("you", ink, complex(place.real, row), 1.1 * size, 0.5)

    def draw_count(self, count: int) -> None:
        """Draws the number of the countdown, large and transparent, in the middle."""
        layout = self.layout
        size = min(layout.width, layout.height) / 3
        self.canvas.text(str(count), self.theme.ink, layout.scene_middle, size, 0.5, 0.3)

    def draw_pause(self) -> None:
        """Draws a panel that says that the round is paused."""
        buttons = (
            self.button("Go on", "space", "Space", is_filled=True),
            self.button("Again", "r", "r"),
            self.button("Menu", "escape", "Esc"),
        )
        self._draw_panel([line("Paused", self.theme.ink, 1.6), Line(buttons, 1.0, 0.3)])

    def draw_end(self, visit: Visit, place: complex, free: float) -> None:
        """Draws a card with the conclusion of the round.

        Args:
            visit: the visit, with a round that is over.
            place: place in pixels where it ended, which stays visible if possible.
            free: width of the space on the right of the arena, in pixels; the card is there if
                it is wide enough.
        """
        played, theme = visit.round, self.theme
        assert played is not None
        side = played.challenge.side
        winner = theme.of(side if played.is_won else side.other)
        parts = comparisons(played, rivals(played.challenge), visit.others)
        sentences = parts if free > _NARROWEST * self.layout.size else [", ".join(parts)]
        lines = [text(headline(played), winner, 1.25)]
        lines += [text(f"{words}.", theme.ink) for words in sentences if words]
        if best := best_text(played, visit.best_before, visit.start_before):
            lines.append(text(best, theme.ink if visit.is_best else theme.faint))
        again = self.button("Again", "r", "r")
        following = self.button("Next start", "return", "Enter", is_filled=True)
        replay, menu = self.button("Replay", "v", "v"), self.button("Menu", "escape", "Esc")
        lines.append(Line((again, following, replay, menu), 1.0, 0.4))
        if visit.is_best and not visit.best_times.is_kept:
            lines.append(text(visit.best_times.problem, theme.pursuer, 0.9, 0.4))
        toward = -1 if place.imag > self.layout.scene_middle.imag else 1
        self._draw_panel(lines, toward, free)

    def _draw_panel(self, lines: list[Line], toward: int = 0, free: float = 0.0) -> None:
        """Draws a box with lines.

        Args:
            lines: the lines.
            toward: whether it is at the top (-1), in the middle (0), or at the bottom (1).
            free: width of the space on the right; the box is there if it is wide enough.
        """
        canvas, layout, pad = self.canvas, self.layout, self.layout.size
        is_aside = free > _NARROWEST * pad
        width = free - pad if is_aside else min(layout.width - 3 * pad, _WIDEST * pad)
        height = layout.bottom - layout.top - 2.4 * pad
        inset = complex(0.4 if is_aside else 1.0, 0.5) * pad
        block = Block(canvas, lines, width - 2 * inset.real * is_aside, height, pad)
        half = block.extent / 2 + inset
        room = max((layout.bottom - layout.top) / 2 - half.imag - 0.4 * pad, 0.0)
        middle = layout.scene_middle + 1j * toward * room
        if is_aside:
            middle = complex(layout.width - free / 2, layout.scene_middle.imag)
        draw_box(canvas, self.theme, middle - half, middle + half, 0.94)
        block.draw(middle, self._pointer)


def about(played: Round) -> str:
    """Returns the level, the opponent and the seed of a round."""
    challenge = played.challenge
    return f"{challenge.level.name}: against {challenge.opponent_name}, start {played.seed}"
