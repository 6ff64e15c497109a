"""Draws several episodes from one start on one board, each in a color of its own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from steer_env.drawing import (
    LEAST_TEXT_SIDE,
    RUN_COLORS,
    Color,
    DrawingConfig,
    legible,
    mixed,
    places_of,
)
from steer_env.rendering.picture import Picture, sides_of, view_of
from steer_env.rendering.recording import Recording, Status
from steer_env.rendering.scene import LINE, draw_arena, draw_capture_radii, rows_of
from steer_env.rendering.texts import LEAST_FONT, LabelPlaces, width_of
from steer_env.sides import EVADER, PURSUER, Side

_GAPS = (1.0, 1.4, 2.0, 3.0, 4.5)  # from a vehicle to its caption, in heights of the caption


class Ghosts:
    """Draws one to `MOST_RUNS` episodes from one start on one board, moment by moment.

    Vehicles of the side whose players differ (the pursuers, if both do) have the color of their
    run and its label, by default their names; the opponents have a tint of it. With ``seconds``
    runs that are not over then have their outcomes so far. The annotations "trail", "capture"
    and "score" are shown.
    """

    def __init__(
        self,
        recordings: Sequence[Recording],
        drawing: DrawingConfig | None = None,
        labels: Sequence[str] | None = None,
        seconds: float | None = None,
    ) -> None:
        self._recordings, self._config = recordings, recordings[0].config
        self._drawing = DrawingConfig() if drawing is None else drawing
        names = [recording.names for recording in recordings]
        differ = [len({pair[side] for pair in names}) > 1 for side in Side]
        self.side = EVADER if differ == [False, True] else PURSUER
        found = [" vs ".join(pair) if all(differ) else pair[self.side] for pair in names]
        self.labels = found if labels is None else list(labels)
        theme = RUN_COLORS[self._drawing.theme]
        self._colors = [theme[place] for place in places_of(self.labels)]
        corners = np.concatenate([found.corners[-1] for found in recordings])
        self._view = view_of(self._config, corners, self._drawing)
        self._font = max(LEAST_FONT, min(self._drawing.size) / 18)
        self._ground = Picture(self._view, self._drawing)
        draw_arena(self._ground, self._config, recordings[0].states[0])
        self._end = self.moment_at(np.inf if seconds is None else seconds)
        self._captions: dict[tuple[int, str], complex] = {}  # offsets from their vehicles

    def moment_at(self, seconds: float) -> int:
        """The moment nearest to a time, or after the end of all episodes the last one."""
        last = max(len(found.states) for found in self._recordings) - 1
        return round(min(max(seconds / self._config.dt, 0.0), last))

    def picture(self, number: int) -> Picture:
        """Returns the picture of a moment, with captions where they were in the last one."""
        picture = Picture(self._view, self._drawing, self._ground)
        records = [
            found.states[min(number, len(found.states) - 1)] for found in self._recordings
        ]
        runs = [*enumerate(records)][::-1]  # the first one is on top
        is_shown, sides = {}, sides_of(self._config)
        picture.clip_to_arena()
        for run, _ in runs:
            trail = self._recordings[run].positions[: number + 1]
            if self._drawing.shows("capture"):
                self._dye(picture, run, PURSUER)
                draw_capture_radii(picture, self._config, trail[-1])
            if len(trail) > 1 and self._drawing.shows("trail"):
                every = -(-len(trail) // 400)  # some are left out
                trail = trail[(len(trail) - 1) % every :: every]
                for player, side in enumerate(sides):
                    color = self._dye(picture, run, side)
                    picture.trail(color, "run", trail[:, player], oldest=0.12)
        for run, record in runs:  # below all vehicles
            self._dye(picture, run, self.side)
            players = record["players"]
            is_shown[run] = players["active"] | self._config.reached(players)
            for player in players[~is_shown[run]]:
                picture.vehicle(player["body"], "caught", picture.colors.of(EVADER))
        for side in (self.side.other, self.side):
            for run, record in runs:
                self._dye(picture, run, side)
                for owner, player, shows in zip(sides, record["players"], is_shown[run]):
                    if owner is side and shows:
                        picture.vehicle(player["body"], side.name, picture.colors.of(side))
        picture.add("clip")
        picture.colors = self._drawing.colors
        standings = [Status(record, self._config) for record in records]
        if picture.view.side >= LEAST_TEXT_SIDE:
            self._write_captions(picture, standings, number)
        if self._drawing.shows("score"):
            self._write_score(picture, standings, number)
        return picture

    def _dye(self, picture: Picture, run: int, side: Side) -> Color:
        """Gives a picture the colors of vehicles in a run, and returns the color of trails."""
        theme, color = self._drawing.colors, self._colors[run]
        if side is self.side:
            picture.colors = theme._replace(pursuer=color, evader=color)
            return color
        tint = mixed(color, theme.ground, 0.6)
        picture.colors = theme._replace(pursuer=tint, evader=tint, ground=color)
        return tint

    def _write_captions(
        self, picture: Picture, standings: Sequence[Status], number: int
    ) -> None:
        view, size = picture.view, self._font
        bodies = [status.record["players"]["body"] for status in standings]
        own = self._config.pursuers if self.side is EVADER else 0
        points = view.to_pixels(np.array([found["position"][own] for found in bodies]))
        reach = max(float(bodies[0]["radius"].max()), self._config.capture_circle)
        radius = view.drawn_radius(reach) * view.scale
        rims = radius * np.exp(2j * np.pi * np.arange(12) / 12)
        vehicles = view.to_pixels(np.concatenate([found["position"] for found in bodies]))
        lines = np.add.outer(vehicles, rims).ravel()
        trails = [one.positions[: number + 1 : 3].ravel() for one in self._recordings]
        behind = view.to_pixels(np.concatenate(trails))
        places = LabelPlaces(*view.ground, lines, _GAPS)
        # First those that stay where they are.
        for run in sorted(range(len(standings)), key=lambda run: not standings[run].is_over):
            status, point, text = standings[run], complex(points[run]), self.labels[run]
            if (status.is_over or number >= self._end) and not rows_of(picture).is_column:
                text = f"{text}, {_outcome(status, self.side)}"
            extent = complex(width_of(text, size), 0.7 * size)
            key = (run, text)
            kept = point + self._captions[key] if key in self._captions else None
            others = points[np.abs(points - point) > 2 * radius]
            found = places.add(point, extent, others, behind, kept=kept, or_near_others=True)
            if found is not None:
                self._captions[key] = found - point
                color = legible(self._colors[run], picture.colors)
                picture.text(text, color, found, size, 0.5, has_rim=True)

    def _write_score(self, picture: Picture, standings: Sequence[Status], number: int) -> None:
        """Writes time, captures and opponent, and the outcomes where texts are a column."""
        theme, size, rows = picture.colors, self._font, rows_of(picture)
        start, is_column = complex(rows.start, rows.above), rows.is_column

        def put(text: str, color: Color, place: complex, along: float = 0.0) -> None:
            picture.text(text, color, place, size, along, room=rows.end - rows.start)

        caught = sum(status.is_captured for status in standings)
        word = f"{caught} of {len(standings)} caught" if len(standings) > 1 else ""
        if word and self._config.evaders > 1:  # whose number is another than that of the runs
            word = f"all caught in {caught} of {len(standings)} runs"
        clock = 2 * size if is_column else size
        seconds = max(status.seconds for status in standings)
        picture.text(f"{seconds:.1f} s", theme.ink, start + 0.5j * (clock - size), clock)
        place = start + 1j * LINE * clock if is_column else complex(rows.end, rows.above)
        put(word, theme.ink, place, 0.0 if is_column else 1.0)
        names = {found.names[self.side.other] for found in self._recordings}
        if len(names) == 1:
            text = f"vs {names.pop()}, seed {self._recordings[0].seed}"
            put(text, theme.faint, complex(rows.start, rows.below))
        line = min(LINE * size, (rows.below - place.imag) / (2.6 * len(standings) + 1))
        for run, status in enumerate(standings if is_column else ()):
            put(self.labels[run], legible(self._colors[run], theme), place + 1.6j * line)
            place += 2.6j * line
            if status.is_over or number >= self._end:
                put(_outcome(status, self.side), theme.ink, place)


def _outcome(status: Status, side: Side) -> str:
    """The outcome, for a side, of a run that is over or would be now."""
    evaders, seconds = status.config.evaders, f"{status.seconds:.1f} s"
    if status.declared:
        return f"{status.declared} {seconds}"
    if evaders > 1:
        return f"{status.record['game']['captured']} of {evaders} caught in {seconds}"
    if status.is_captured:
        return f"caught {seconds}"
    if status.config.reached(status.record["players"]).any():
        return f"in target {seconds}"
    # Short for whole seconds, as most time limits are.
    return f"{'free for' if side is EVADER else 'not within'} {round(status.seconds, 2):g} s"
