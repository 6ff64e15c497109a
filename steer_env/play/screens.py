"""What is drawn over and around the scene: title, countdown, score line, end."""

from __future__ import annotations

from typing import NamedTuple

from steer_env.drawing import Color, Theme
from steer_env.episodes.players import SIDES
from steer_env.episodes.recording import Recording
from steer_env.game.state import EVADER, PURSUER
from steer_env.interface.overlay import draw_box, text_size
from steer_env.play.best_times import BestTime
from steer_env.play.lines import Line, draw_lines, extent, line, text
from steer_env.play.menu import Menu
from steer_env.play.rounds import Round
from steer_env.play.session import Session
from steer_env.rendering.canvas import Canvas
from steer_env.rendering.texts import fitted

MARGIN = 0.025
"""Around the arena, in which no text stands, as a share of the shorter side of what is seen."""

_BAND = 2.9  # height of the score line and the bar below it, in sizes of the usual font
_FOOT = 1.8
_BAR = 0.4


class Layout(NamedTuple):
    """Where things stand in the window, in pixels.

    Attributes:
        width: of the window.
        height: of the window.
        size: of the usual font.
        top: where the scene begins.
        bottom: where it ends.
    """

    width: int
    height: int
    size: float
    top: int
    bottom: int

    @property
    def scene_size(self) -> tuple[int, int]:
        """Width and height of the scene."""
        return self.width, self.bottom - self.top

    @property
    def scene_middle(self) -> complex:
        """Of the scene."""
        return complex(self.width, self.top + self.bottom) / 2


def layout_of(width: int, height: int) -> Layout:
    """The layout of a window."""
    size = text_size(width, height)
    return Layout(width, height, size, round(_BAND * size), height - round(_FOOT * size))


def color_of(theme: Theme, side: int) -> Color:
    """The color of a side."""
    return theme.pursuer if side == PURSUER else theme.evader


def draw_title(canvas: Canvas, theme: Theme, session: Session, size: float) -> None:
    """The title screen: the rules, the choices, the best time, the keys."""
    canvas.fill(theme.background)
    menu = session.menu
    config, side = menu.challenge.config, menu.side
    own, other = color_of(theme, side), color_of(theme, 1 - side)
    limits = (config.pursuer.max_speed, config.evader.max_speed)
    lines = [
        Line(
            (("Pursuit ", theme.pursuer), ("& ", theme.faint), ("Evasion", theme.evader)), 2.4
        ),
        line(f"You are the {SIDES[side]}", own, 1.5, 0.5),
        *(text(rule, theme.ink) for rule in _rules(menu)),
        _level_line(theme, menu),
        Line(
            (
                ("against ", theme.faint),
                (menu.challenge.opponent_name, other),
                (f": {menu.challenge.level.text}", theme.ink),
            ),
            space=0.2,
        ),
        line(
            f"{_it(menu)} {limits[1 - side]:.1f} m/s, you {limits[side]:.1f} m/s; "
            f"capture radius {config.capture_radius:.2g} m",
            theme.faint,
        ),
        line(best_text(session.best_times.of(menu.challenge)), theme.ink, 1.2, 0.5),
        _keys(
            theme,
            "Enter",
            "begin",
            "Up Down",
            "level",
            "Tab",
            "side",
            "h",
            "keys",
            "Esc",
            "quit",
        ),
    ]
    for problem in filter(None, (menu.problem, session.best_times.problem)):
        lines.append(text(problem, theme.pursuer, 0.9, 0.4))
    room = complex(canvas.width, canvas.height) - complex(2, 1.6) * size
    middle = complex(canvas.width, canvas.height) / 2
    draw_lines(canvas, lines, middle, room.real, room.imag, 1.3 * size)


def _has_several(menu: Menu) -> bool:
    config = menu.challenge.config
    return max(config.pursuers, config.evaders) > 1


def _it(menu: Menu) -> str:
    count = max(menu.challenge.config.pursuers, menu.challenge.config.evaders)
    return f"{count} of them go" if _has_several(menu) else "it goes"


def _rules(menu: Menu) -> tuple[str, ...]:
    """What it is about, in three short sentences."""
    config = menu.challenge.config
    seconds = f"{config.horizon * config.dt:g} s"
    if menu.side == PURSUER:
        whom = "all evaders" if _has_several(menu) else "the evader"
        goal = f"Catch {whom} within {seconds}: the sooner, the better."
        how = f"To catch, come nearer than {config.capture_radius:.2g} m: your circle."
    else:
        goal = f"Stay free for {seconds}: the longer, the better."
        how = f"Who comes nearer than {config.capture_radius:.2g} m, the circle, catches you."
    return goal, how, "You push, and glide on: brake by pushing back."


def _level_line(theme: Theme, menu: Menu) -> Line:
    pieces: list[tuple[str, Color]] = []
    for level in menu.levels:
        chosen = level is menu.challenge.level
        pieces.append(
            (
                f"[{level.name}]" if chosen else f" {level.name} ",
                theme.ink if chosen else theme.faint,
            )
        )
        pieces.append(("   ", theme.ink))
    return Line(tuple(pieces[:-1]), 1.3, 0.6)


def _keys(theme: Theme, *words: str) -> Line:
    """Keys and what they do, in turns."""
    pieces: list[tuple[str, Color]] = []
    for key, meaning in zip(words[::2], words[1::2]):
        pieces += [(f"{key} ", theme.ink), (f"{meaning}     ", theme.faint)]
    pieces[-1] = (pieces[-1][0].rstrip(), theme.faint)
    return Line(tuple(pieces), 1.0, 0.6)


def best_text(best: BestTime | None) -> str:
    """The best time, in a few words."""
    return (
        "no best time yet" if best is None else f"best {best.seconds:.1f} s (seed {best.seed})"
    )


def draw_score(
    canvas: Canvas, theme: Theme, layout: Layout, played: Round, best: BestTime | None
) -> None:
    """The score line: time, distance, best time; the time that is left as a bar; the seed."""
    config, side = played.challenge.config, played.challenge.side
    color = color_of(theme, side)
    size, inset = layout.size, 0.7 * layout.size
    row = 0.5 * (_BAND - 2 * _BAR) * size
    canvas.rectangle(theme.background, 0j, complex(layout.width, layout.top))
    canvas.text(f"{played.seconds:.1f} s", theme.ink, complex(inset, row), 1.4 * size)
    caught = int(played.record["game"]["captured"])
    words = f"distance {played.record['game']['distance']:.1f} m"
    if played.captured:
        words = "caught"
    elif config.evaders > 1:
        words = f"{caught} of {config.evaders} caught, {words}"
    canvas.text(words, theme.ink, complex(layout.width / 2, row), 1.1 * size, 0.5)
    mark = f"best {best.seconds:.1f} s" if best else "no best yet"
    canvas.text(mark, theme.faint, complex(layout.width - inset, row), 1.1 * size, 1.0)
    share = played.seconds_left / (config.horizon * config.dt)
    top = layout.top - 1.5 * _BAR * size
    start, end = complex(inset, top), complex(layout.width - inset, top + _BAR * size)
    canvas.rectangle(theme.grid, start, end)
    canvas.rectangle(color, start, complex(inset + share * (end - start).real, end.imag))


def draw_foot(canvas: Canvas, theme: Theme, layout: Layout, words: str, keys: str) -> None:
    """A line below the scene: who plays whom, and the keys."""
    canvas.rectangle(
        theme.background, complex(0, layout.bottom), complex(layout.width, layout.height)
    )
    size, inset = 0.9 * layout.size, 0.7 * layout.size
    row = (layout.bottom + layout.height) / 2
    wide = canvas.text_width(keys, size)
    canvas.text(keys, theme.faint, complex(layout.width - inset, row), size, 1.0)
    room = layout.width - 2 * inset - wide - size
    canvas.text(fitted(canvas, words, size, room), theme.faint, complex(inset, row), size)


def about(played: Round) -> str:
    """Level, opponent and seed of a round."""
    return (
        f"{played.challenge.level.name}: against {played.challenge.opponent_name}, "
        f"seed {played.seed}"
    )


def draw_person(
    canvas: Canvas, theme: Theme, place: complex, side: float, is_named: bool, layout: Layout
) -> None:
    """A ring around the person's vehicle; with a word before the round begins.

    Args:
        canvas: to draw on.
        theme: its colors.
        place: of the vehicle, in pixels.
        side: of the scene, in pixels.
        is_named: whether the word is there.
        layout: of the window.
    """
    size, bottom, radius = layout.size, layout.bottom, 0.042 * side
    canvas.ring(theme.ink, place, radius, max(1.2, side / 330), 0.9 if is_named else 0.4, 10)
    if is_named:
        away = radius + 0.7 * size
        is_low = place.imag + away + 0.7 * size > bottom
        row = place.imag - away if is_low else place.imag + away
        canvas.text("you", theme.ink, complex(place.real, row), 1.1 * size, 0.5)


def draw_count(canvas: Canvas, theme: Theme, layout: Layout, count: int) -> None:
    """The number of the countdown, large in the middle, through which vehicles are seen."""
    size = min(layout.width, layout.height) / 3
    canvas.text(str(count), theme.ink, layout.scene_middle, size, 0.5, 0.3)


def draw_pause(canvas: Canvas, theme: Theme, layout: Layout) -> None:
    """That the round stands still."""
    lines = [
        line("Paused", theme.ink, 2.0),
        _keys(theme, "Space", "go on", "r", "same start", "Esc", "title"),
    ]
    _draw_panel(canvas, theme, layout, lines)


def draw_end(
    canvas: Canvas, theme: Theme, layout: Layout, session: Session, place: complex
) -> None:
    """How the round ended, for the person and for others.

    Args:
        canvas: to draw on.
        theme: its colors.
        layout: of the window.
        session: whose round is over.
        place: of the person's vehicle, in pixels, which the panel leaves free if it can.
    """
    played = session.round
    assert played is not None
    side = played.challenge.side
    lines = [
        line(headline(played), color_of(theme, side if played.is_won else 1 - side), 2.2),
        line(_score_text(session, played), theme.ink, 1.25),
        line("From the same start", theme.faint, 1.0, 0.6),
    ]
    for other in session.others:
        name, words = other.names[side], outcome_text(other, side)
        lines.append(Line(((name, color_of(theme, side)), (f" {words}", theme.ink))))
    lines.append(
        _keys(theme, "Enter", "next round", "r", "same start", "v", "replay", "Esc", "title")
    )
    if session.is_best and not session.best_times.is_kept:
        lines.append(text(session.best_times.problem, theme.pursuer, 0.9, 0.4))
    _draw_panel(
        canvas, theme, layout, lines, -1 if place.imag > layout.scene_middle.imag else 1
    )


def outcome_text(other: Recording, side: int) -> str:
    """What another player would have come to, after its name."""
    seconds = f"{other.seconds:.1f} s"
    if side == EVADER:
        return f"is caught after {seconds}" if other.captured else "gets away"
    several = other.config.evaders > 1
    if other.captured:
        return f"catches {'all' if several else 'it'} after {seconds}"
    return f"does not catch {'all' if several else 'it'} in {seconds}"


def headline(played: Round) -> str:
    """The end of a round in a word or two."""
    if played.challenge.side == EVADER:
        return "You got away!" if played.is_won else "You are caught"
    several = played.challenge.config.evaders > 1
    if played.is_won:
        return "All caught!" if several else "Caught!"
    return "Not all caught" if several else "It got away"


def _score_text(session: Session, played: Round) -> str:
    """The time, and how it stands against the best one."""
    before = session.best_before
    seconds = f"{played.seconds:.1f} s"
    config, caught = played.challenge.config, int(played.record["game"]["captured"])
    if played.captured:
        words = f"after {seconds}"
    elif played.challenge.side == EVADER:
        words = f"free for {seconds}"
    elif config.evaders > 1:
        words = f"{caught} of {config.evaders} caught in {seconds}"
    else:
        words = f"not caught in {seconds}"
    if session.is_best:
        return f"{words}, new best!" + (f" (before: {before.seconds:.1f} s)" if before else "")
    return f"{words}, best {before.seconds:.1f} s" if before else words


def _draw_panel(
    canvas: Canvas, theme: Theme, layout: Layout, lines: list[Line], toward: int = 0
) -> None:
    """A box with lines in it: in the middle, or toward the top (-1) or the bottom (1)."""
    pad = layout.size
    width, height = layout.width - 3 * pad, layout.bottom - layout.top - 2.4 * pad
    inner = extent(canvas, lines, width, height, 1.1 * layout.size)
    half = inner / 2 + complex(pad, 0.8 * pad)
    room = max((layout.bottom - layout.top) / 2 - half.imag - 0.4 * pad, 0.0)
    middle = layout.scene_middle + 1j * toward * room
    draw_box(canvas, theme, middle - half, middle + half, 0.9)
    draw_lines(canvas, lines, middle, width, height, 1.1 * layout.size)
