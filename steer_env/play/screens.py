"""Texts over and around the scene: title, countdown, score line, end."""

from __future__ import annotations

from steer_env.drawing import Color, Theme
from steer_env.episodes.history import History
from steer_env.interface.overlay import draw_box, text_size
from steer_env.play.best_times import BestTime
from steer_env.play.lines import Block, Line, line, text
from steer_env.play.menu import Menu
from steer_env.play.rounds import Round
from steer_env.play.visit import Visit
from steer_env.rendering.canvas import Canvas
from steer_env.rendering.texts import fitted
from steer_env.sides import Side

MARGIN = 0.025
"""Space around the arena that stays free of texts, as a share of the scene's shorter side."""

_BAND = 2.9  # height of the score line and its bar, in font sizes
_FOOT = 1.8
_BAR = 0.4


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
    """Draws texts in a window.

    Args:
        canvas: the whole window.
        theme: colors.

    Attributes:
        canvas: as given.
        theme: as given.
        layout: places in the window.
    """

    def __init__(self, canvas: Canvas, theme: Theme) -> None:
        self.canvas, self.theme = canvas, theme
        self.layout = Layout(canvas.width, canvas.height)

    def draw_title(self, visit: Visit) -> None:
        """Draws the title screen: the rules, the choices, the best time, the keys."""
        theme, menu = self.theme, visit.menu
        challenge, side = menu.challenge, menu.side
        config, level = challenge.config, challenge.level
        speeds = [config.vehicles(each.name)[0].max_speed for each in Side]
        count = max(config.pursuers, config.evaders)
        best = visit.best_times.of(challenge)
        words = f"best {best.seconds:.1f} s (seed {best.seed})" if best else "no best time yet"
        they_go = f"{count} of them go" if count > 1 else "it goes"
        name = (("Pursuit ", theme.pursuer), ("& ", theme.faint), ("Evasion", theme.evader))
        opponent = (
            ("against ", theme.faint),
            (challenge.opponent_name, theme.of(side.other)),
            (f": {level.text}", theme.ink),
        )
        lines = [
            Line(name, 2.4),
            line(f"You are the {side.name}", theme.of(side), 1.5, 0.5),
            *(text(rule, theme.ink) for rule in _rules(menu)),
            self._line_of_levels(menu),
            Line(opponent, space=0.2),
            line(
                f"{they_go} {speeds[side.other]:.1f} m/s, you {speeds[side]:.1f} m/s; "
                f"capture radius {config.capture_radius:.2g} m",
                theme.faint,
            ),
            line(words, theme.ink, 1.2, 0.5),
            self._keys("Enter: begin", "Up Down: level", "Tab: side", "h: keys", "Esc: quit"),
        ]
        for problem in filter(None, (menu.problem, visit.best_times.problem)):
            lines.append(text(problem, theme.pursuer, 0.9, 0.4))
        self.canvas.fill(theme.background)
        size = self.layout.size
        corner = complex(self.layout.width, self.layout.height)
        room = corner - complex(2, 1.6) * size
        Block(self.canvas, lines, room.real, room.imag, 1.3 * size).draw(corner / 2)

    def draw_score(self, played: Round, best: BestTime | None) -> None:
        """Draws the score line: time, distance, best time, and a bar of the time left."""
        canvas, theme, layout = self.canvas, self.theme, self.layout
        config, status = played.challenge.config, played.duel.status
        game = status.record["game"]
        size, inset = layout.size, 0.7 * layout.size
        row = 0.5 * (_BAND - 2 * _BAR) * size
        canvas.rectangle(theme.background, 0j, complex(layout.width, layout.top))
        canvas.text(f"{status.seconds:.1f} s", theme.ink, complex(inset, row), 1.4 * size)
        words = f"distance {game['distance']:.1f} m"
        if status.is_captured:
            words = "caught"
        elif config.evaders > 1:
            words = f"{game['captured']} of {config.evaders} caught, {words}"
        canvas.text(words, theme.ink, complex(layout.width / 2, row), 1.1 * size, 0.5)
        words = f"best {best.seconds:.1f} s" if best else "no best yet"
        canvas.text(words, theme.faint, complex(layout.width - inset, row), 1.1 * size, 1.0)
        share = played.seconds_left / (config.horizon * config.dt)
        top = layout.top - 1.5 * _BAR * size
        start, end = complex(inset, top), complex(layout.width - inset, top + _BAR * size)
        canvas.rectangle(theme.grid, start, end)
        end = complex(inset + share * (end - start).real, end.imag)
        canvas.rectangle(theme.of(played.challenge.side), start, end)

    def draw_foot(self, words: str, keys: str) -> None:
        """Draws a line below the scene: words on the left, keys on the right."""
        canvas, theme, layout = self.canvas, self.theme, self.layout
        corner = complex(layout.width, layout.height)
        canvas.rectangle(theme.background, complex(0, layout.bottom), corner)
        size, inset = 0.9 * layout.size, 0.7 * layout.size
        row = (layout.bottom + layout.height) / 2
        canvas.text(keys, theme.faint, complex(layout.width - inset, row), size, 1.0)
        room = layout.width - 2 * inset - canvas.text_width(keys, size) - size
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
        keys = self._keys("Space: go on", "r: same start", "Esc: title")
        self._draw_panel([line("Paused", self.theme.ink, 2.0), keys])

    def draw_end(self, visit: Visit, place: complex) -> None:
        """Draws a panel with the results of the round, and of the others.

        Args:
            visit: the visit, with a round that is over.
            place: place of the person's vehicle, in pixels, which stays visible if possible.
        """
        played, theme = visit.round, self.theme
        assert played is not None
        side = played.challenge.side
        winner = side if played.is_won else side.other
        lines = [
            line(headline(played), theme.of(winner), 2.2),
            line(_score_text(visit, played), theme.ink, 1.25),
            line("From the same start", theme.faint, 1.0, 0.6),
        ]
        for other in visit.others:
            name, words = other.names[side], outcome_text(other, side)
            lines.append(Line(((name, theme.of(side)), (f" {words}", theme.ink))))
        lines.append(
            self._keys("Enter: next round", "r: same start", "v: replay", "Esc: title")
        )
        if visit.is_best and not visit.best_times.is_kept:
            lines.append(text(visit.best_times.problem, theme.pursuer, 0.9, 0.4))
        self._draw_panel(lines, -1 if place.imag > self.layout.scene_middle.imag else 1)

    def _line_of_levels(self, menu: Menu) -> Line:
        pieces: list[tuple[str, Color]] = []
        for level in menu.levels:
            is_chosen = level is menu.challenge.level
            name = f"[{level.name}]" if is_chosen else f" {level.name} "
            pieces.append((name, self.theme.ink if is_chosen else self.theme.faint))
            pieces.append(("   ", self.theme.ink))
        return Line(tuple(pieces[:-1]), 1.3, 0.6)

    def _keys(self, *hints: str) -> Line:
        """Returns a line of hints such as "h: keys", without the colons."""
        pieces: list[tuple[str, Color]] = []
        for hint in hints:
            key, meaning = hint.split(": ")
            pieces += [(f"{key} ", self.theme.ink), (f"{meaning}     ", self.theme.faint)]
        pieces[-1] = (pieces[-1][0].rstrip(), self.theme.faint)
        return Line(tuple(pieces), 1.0, 0.6)

    def _draw_panel(self, lines: list[Line], toward: int = 0) -> None:
        """Draws a box with lines: in the middle, or toward the top (-1) or the bottom (1)."""
        canvas, layout, pad = self.canvas, self.layout, self.layout.size
        width, height = layout.width - 3 * pad, layout.bottom - layout.top - 2.4 * pad
        block = Block(canvas, lines, width, height, 1.1 * pad)
        half = block.extent / 2 + complex(pad, 0.8 * pad)
        room = max((layout.bottom - layout.top) / 2 - half.imag - 0.4 * pad, 0.0)
        middle = layout.scene_middle + 1j * toward * room
        draw_box(canvas, self.theme, middle - half, middle + half, 0.9)
        block.draw(middle)


def about(played: Round) -> str:
    """Returns the level, the opponent and the seed of a round."""
    challenge = played.challenge
    return f"{challenge.level.name}: against {challenge.opponent_name}, seed {played.seed}"


def headline(played: Round) -> str:
    """Returns the end of a round in a word or two."""
    if played.challenge.side is Side.EVADER:
        return "You got away!" if played.is_won else "You are caught"
    several = played.challenge.config.evaders > 1
    if played.is_won:
        return "All caught!" if several else "Caught!"
    return "Not all caught" if several else "It got away"


def outcome_text(other: History, side: Side) -> str:
    """Returns the end of another player's episode, to follow its name."""
    status = other.status(other.last)
    captured, seconds = status.is_captured, f"{status.seconds:.1f} s"
    if side is Side.EVADER:
        return f"is caught after {seconds}" if captured else "gets away"
    quarry = "all" if other.config.evaders > 1 else "it"
    verb = "catches" if captured else "does not catch"
    return f"{verb} {quarry} {'after' if captured else 'in'} {seconds}"


def _rules(menu: Menu) -> tuple[str, ...]:
    """Returns the rules, in three short sentences."""
    config = menu.challenge.config
    seconds, radius = f"{config.horizon * config.dt:g} s", f"{config.capture_radius:.2g} m"
    if menu.side is Side.PURSUER:
        quarry = "all evaders" if config.evaders > 1 else "the evader"
        goal = f"Catch {quarry} within {seconds}: the sooner, the better."
        how = f"To catch, come nearer than {radius}: your circle."
    else:
        goal = f"Stay free for {seconds}: the longer, the better."
        how = f"A pursuer nearer than {radius}, the circle, catches you."
    return goal, how, "You push, and glide on: brake by pushing back."


def _score_text(visit: Visit, played: Round) -> str:
    """Returns the time of a round, compared with the best one."""
    before, status = visit.best_before, played.duel.status
    seconds, evaders = f"{status.seconds:.1f} s", played.challenge.config.evaders
    if status.is_captured:
        words = f"after {seconds}"
    elif played.challenge.side is Side.EVADER:
        words = f"free for {seconds}"
    elif evaders > 1:
        words = f"{status.record['game']['captured']} of {evaders} caught in {seconds}"
    else:
        words = f"not caught in {seconds}"
    if visit.is_best:
        return f"{words}, new best!" + (f" (before: {before.seconds:.1f} s)" if before else "")
    return f"{words}, best {before.seconds:.1f} s" if before else words
