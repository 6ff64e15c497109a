"""Draws several episodes from one start on one board, each in a color of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from steer_env.drawing import RUN_COLORS, Color, DrawingConfig, legible, mixed
from steer_env.episodes.recording import Recording
from steer_env.episodes.status import Status
from steer_env.errors import InvalidValue, shown
from steer_env.rendering.camera import MARGIN, View, ground_of, view_of
from steer_env.rendering.canvas import Canvas, Places
from steer_env.rendering.label_places import LabelPlaces
from steer_env.rendering.painter import Painter
from steer_env.rendering.pen import Pen
from steer_env.rendering.scene import Moment, draw_arena, draw_capture_radii
from steer_env.rendering.texts import LEAST_FONT, write_with_rim
from steer_env.rendering.vehicles import draw_caught, draw_vehicle, drawn_radius
from steer_env.sides import EVADER, PURSUER, Side

MOST_RUNS = len(RUN_COLORS["light"])
"""The most episodes on one board; each needs a color that differs from the others."""

_TINT = 0.6  # share of the ground's color in the vehicles of the opponents
_OLDEST = 0.12  # opacity of a trail where it begins
_FONT = 1 / 24  # size of texts, as a share of the board's side
_TRAIL_POINTS = 400  # at most
_GAPS = (1.0, 1.4, 2.0, 3.0, 4.5)  # from a vehicle to its caption, in heights of the caption
_LATER = 0.5  # seconds: captions of moments that are farther apart have nothing in common
_GLIDE = 0.3  # of the way to its new place that a caption covers in a picture


class Standing(NamedTuple):
    """How one run stands.

    Attributes:
        label: of the run.
        color: of the run, in a shade that texts can have.
        outcome: such as "caught 4.6 s"; of a run that goes on, as if it ended now.
        is_over: whether the run has ended.
        free: number of evaders that are not caught.
        seconds: how long the episode has lasted.
    """

    label: str
    color: Color
    outcome: str
    is_over: bool
    free: int
    seconds: float

    @property
    def is_captured(self) -> bool:
        """Whether all evaders are caught."""
        return self.free == 0

    @property
    def caption(self) -> str:
        """The label, with the outcome of a run that is over."""
        return f"{self.label}, {self.outcome}" if self.is_over else self.label


class _Caption(NamedTuple):
    """A caption, and the offset of its middle from the vehicle, in pixels: now, and soon."""

    text: str
    offset: complex
    goal: complex


class Ghosts:
    """Draws several episodes from one start on one board, moment by moment.

    The runs differ in the players of one side, or of both. That side's vehicles have the color
    of their run and a caption, the opponents a tint of it with a colored rim. A run that is
    over stays as it ended. The drawing's annotations "trail", "capture" and "score" are shown.

    Args:
        episodes: recordings, or functions that return the recording so far, such as
            `History.recording`; one to `MOST_RUNS`.
        drawing: how to draw them; None for the default.
        labels: a name for each run; None for those of the players in which the runs differ.
        side: whose vehicles have full colors; None for the side in which the runs differ, the
            pursuers if both do.
        sees_ahead: in the open, whether all pictures show the region of the whole episodes.

    Attributes:
        drawing: can be changed at any time.
        labels: of the runs.
        side: whose vehicles have full colors.

    Raises:
        ValueError: without episodes, for more than `MOST_RUNS`, if they differ in game or seed,
            or if the number of labels is another.
    """

    def __init__(
        self,
        episodes: Sequence[Recording | Callable[[], Recording]],
        drawing: DrawingConfig | None = None,
        labels: Sequence[str] | None = None,
        side: Side | None = None,
        sees_ahead: bool = True,
    ) -> None:
        if not 0 < len(episodes) <= MOST_RUNS:
            raise InvalidValue(
                f"one board shows 1 to {MOST_RUNS} episodes, got {len(episodes)}; choose fewer "
                "players, or panels side by side"
            )
        self._episodes = list(episodes)
        first, *others = self.recordings()
        for other in others:
            if (other.seed, other.config) != (first.seed, first.config):
                raise InvalidValue(
                    "episodes on one board must be of one game and start, got seeds "
                    f"{first.seed} and {other.seed}"
                    + (" of different games" if other.config != first.config else "")
                )
        if labels is not None and len(labels) != len(episodes):
            raise InvalidValue(
                f"labels must be one for each of the {len(episodes)} episodes, got "
                f"{shown(list(labels))}"
            )
        self.drawing = DrawingConfig() if drawing is None else drawing
        names = [recording.names for recording in (first, *others)]
        differ = [len({pair[side] for pair in names}) > 1 for side in Side]
        found = EVADER if differ == [False, True] else PURSUER
        self.side = found if side is None else Side.numbered(side)
        own = [pair[self.side] for pair in names]
        both = [" v ".join(pair) for pair in names]
        self.labels = list(labels) if labels is not None else both if all(differ) else own
        self._config, self._sees_ahead = first.config, sees_ahead
        self._painter = Painter(first.config)
        self._captions: dict[int, _Caption] = {}  # of the last picture, by run
        self._captions_of: tuple[View, float] | None = None

    def recordings(self) -> list[Recording]:
        """The episodes as far as they have been played."""
        return [one if isinstance(one, Recording) else one() for one in self._episodes]

    def color(self, run: int) -> Color:
        """The color of a run, counted from 0."""
        return RUN_COLORS[self.drawing.theme][run]

    def view_at(self, number: int) -> View:
        """The view in the picture of a moment, the same for all runs."""
        corners = [
            found.corners[-1 if self._sees_ahead else min(number, len(found.corners) - 1)]
            for found in self.recordings()
        ]
        # With room for texts above and below, whatever the picture's shape.
        return view_of(self._config, np.concatenate(corners), self.drawing.size, MARGIN)

    def moment_at(self, seconds: float) -> int:
        """The moment nearest to a time; the last one after the end of the longest episode."""
        last = max(len(found.states) for found in self.recordings()) - 1
        return round(min(max(seconds / self._config.dt, 0.0), last))

    def standings(self, number: int) -> list[Standing]:
        """How the runs stand at a moment, in their order."""
        standings = []
        for run, found in enumerate(self.recordings()):
            record = found.states[min(number, len(found.states) - 1)]
            status = Status(record, self._config)
            standings.append(
                Standing(
                    label=self.labels[run],
                    color=legible(self.color(run), self.drawing.colors),
                    outcome=_outcome(status, self.side),
                    is_over=status.is_over,
                    free=self._config.evaders - int(record["game"]["captured"]),
                    seconds=status.seconds,
                )
            )
        return standings

    def frame(self, number: int, view: View | None = None) -> NDArray[np.uint8]:
        """Returns a picture of a moment: a new array, (height, width, 3).

        Captions keep their places from one picture to the next where they can, so pictures
        in the order of time differ a little from single ones.

        Args:
            number: of the moment, from 0.
            view: of the plane, and the picture's size; None for that of `view_at`.

        Raises:
            gymnasium.error.DependencyNotInstalled: without pygame, for texts.
        """
        view = self.view_at(number) if view is None else view
        ground = DrawingConfig(theme=self.drawing.theme, annotations=())
        canvas = self._painter.ground(view, ground, Moment(self.recordings()[0].states[0]))
        self._draw_runs(canvas, number, view)
        return canvas.pixels

    def draw(self, canvas: Canvas, number: int, view: View | None = None) -> None:
        """Draws a moment on a canvas, which must have the view's size; see `frame`."""
        view = self.view_at(number) if view is None else view
        pen = Pen(canvas, view, self._config, self.drawing)
        draw_arena(pen, self.recordings()[0].states[0]["obstacles"])
        self._draw_runs(canvas, number, view)

    def _draw_runs(self, canvas: Canvas, number: int, view: View) -> None:
        recordings = self.recordings()
        pen = Pen(canvas, view, self._config, self.drawing)
        pen.clip_to_arena()
        runs = [*enumerate(recordings)][::-1]  # the first one is on top
        for run, found in runs:
            trail = found.positions[: number + 1]
            if self.drawing.shows("capture"):
                self._dye(pen, run, PURSUER)
                draw_capture_radii(pen, trail[-1])
            self._draw_trails(pen, trail, run)
        for side in (self.side.other, self.side):
            for run, found in runs:
                record = found.states[min(number, len(found.states) - 1)]
                self._draw_vehicles(pen, record, run, side)
        canvas.clip()
        self._write_captions(pen, number, recordings)
        if self.drawing.shows("score"):
            self._write_score(pen, number)

    def _dye(self, pen: Pen, run: int, side: Side) -> Color:
        """Gives a pen the colors of a side's vehicles in a run; returns that of its trails."""
        theme, color = self.drawing.colors, self.color(run)
        if side is self.side:
            pen.colors = theme._replace(pursuer=color, evader=color)
            return color
        tint = mixed(color, theme.ground, _TINT)
        pen.colors = theme._replace(pursuer=tint, evader=tint, ground=color)
        return tint

    def _draw_trails(self, pen: Pen, trail: NDArray[np.complex128], run: int) -> None:
        if len(trail) < 2 or not self.drawing.shows("trail"):
            return
        every = -(-len(trail) // _TRAIL_POINTS)
        trail = trail[(len(trail) - 1) % every :: every]
        for player, side in enumerate(pen.sides):
            color = self._dye(pen, run, side)
            pen.trail(color, trail[:, player], 0.9, oldest=_OLDEST)

    def _draw_vehicles(self, pen: Pen, record: np.void, run: int, side: Side) -> None:
        """Draws the vehicles of a side, and the evaders that it has caught."""
        bodies, active = record["players"]["body"], record["players"]["active"]
        self._dye(pen, run, side)
        for player, owner in enumerate(pen.sides):
            if owner is side and active[player]:
                draw_vehicle(pen, bodies[player], side)
            elif owner is EVADER and not active[player]:  # on top of its pursuer
                self._dye(pen, run, self.side)
                draw_caught(pen, bodies[player])
                self._dye(pen, run, side)

    def _write_captions(self, pen: Pen, number: int, recordings: Sequence[Recording]) -> None:
        view, size = pen.view, text_size(pen.view)
        seconds = number * self._config.dt
        then = self._captions_of
        if then is None or then[0] != view or abs(then[1] - seconds) > _LATER:
            self._captions = {}
        self._captions_of = view, seconds
        records = [found.states[min(number, len(found.states) - 1)] for found in recordings]
        bodies = [record["players"]["body"] for record in records]
        own = self._config.pursuers if self.side is EVADER else 0
        points = view.to_pixels(np.array([found["position"][own] for found in bodies]))
        reach = max(float(bodies[0]["radius"].max()), self._config.capture_radius)
        radius = drawn_radius(view, reach) * view.scale
        rims = radius * np.exp(2j * np.pi * np.arange(12) / 12)
        vehicles = view.to_pixels(np.concatenate([found["position"] for found in bodies]))
        lines = np.add.outer(vehicles, rims).ravel()
        places = LabelPlaces(*ground_of(view, self._config), lines, _GAPS)
        standings = self.standings(number)
        written: list[tuple[complex, complex]] = []  # middles and sizes of those before
        # First those that stay where they are.
        for run in sorted(range(len(standings)), key=lambda run: not standings[run].is_over):
            standing, point = standings[run], complex(points[run])
            text = standing.caption
            extent = complex(pen.canvas.text_width(text, size), 0.7 * size)
            others = points[np.abs(points - point) > 2 * radius]
            caption = self._caption(places, run, text, point, extent, others)
            middle = point + caption.offset
            if any(_overlap(middle, extent, *other) for other in written):
                middle = point + caption.goal
            written.append((middle, extent))
            ground = self.drawing.colors.ground
            write_with_rim(pen.canvas, text, standing.color, ground, middle, size)

    def _caption(
        self,
        places: LabelPlaces,
        run: int,
        text: str,
        point: complex,
        extent: complex,
        others: Places,
    ) -> _Caption:
        """Finds a place for a caption, which changes little with time."""
        was = self._captions.get(run)
        if was is not None and was.text != text:
            was = None
        kept = None if was is None else point + was.goal
        found = places.add(point, extent, others, kept=kept)
        if found is None:  # in a crowd, rather beside another vehicle than nowhere
            found = places.add(point, extent, others[:0], kept=kept)
        if found is None:
            found = places.inside(point - 1j * extent.imag if kept is None else kept, extent)
        goal = found - point
        offset = goal if was is None else was.offset + _GLIDE * (goal - was.offset)
        self._captions[run] = _Caption(text, offset, goal)
        return self._captions[run]

    def _write_score(self, pen: Pen, number: int) -> None:
        """Writes the time and the number of captures above the arena, the opponent below."""
        view, theme, size = pen.view, self.drawing.colors, text_size(pen.view)
        inset = MARGIN * view.side
        corner = view.middle - complex(view.side, view.side) / 2 + complex(inset, inset / 2)
        room = view.side - 2 * inset
        standings = self.standings(number)
        seconds = max(standing.seconds for standing in standings)
        caught = sum(standing.is_captured for standing in standings)
        pen.canvas.text(f"{seconds:.1f} s", theme.ink, corner, size)
        word = f"{caught} of {len(standings)} caught" if len(standings) > 1 else ""
        if word and self._config.evaders > 1:  # whose number is another than that of the runs
            word = f"all caught in {caught} of {len(standings)} runs"
        pen.canvas.text(word, theme.ink, corner + room, size, 1.0)
        names = {found.names[self.side.other] for found in self.recordings()}
        if len(names) == 1:
            below = corner + 1j * (view.side - inset)
            text = f"against {names.pop()}, seed {self.recordings()[0].seed}"
            pen.canvas.text(text, theme.faint, below, size)


def _outcome(status: Status, side: Side) -> str:
    """The outcome of a run that is over, or would be now, as a side sees it."""
    evaders, seconds = status.config.evaders, f"{status.seconds:.1f} s"
    if evaders > 1:
        return f"{status.record['game']['captured']} of {evaders} caught in {seconds}"
    if status.is_captured:
        return f"caught {seconds}"
    # Short for whole seconds, as most time limits are.
    return f"{'free for' if side is EVADER else 'not within'} {round(status.seconds, 2):g} s"


def text_size(view: View) -> float:
    """The size of texts on a board, in pixels."""
    return max(LEAST_FONT, _FONT * view.side)


def _overlap(middle: complex, size: complex, other: complex, other_size: complex) -> bool:
    """Whether two captions overlap, given their middles and sizes."""
    apart, reach = middle - other, (size + other_size) / 2
    return abs(apart.real) < reach.real and abs(apart.imag) < reach.imag
