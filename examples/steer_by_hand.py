# /// script
# requires-python = ">=3.10"
# dependencies = ["steer-env[render]"]
# ///
"""Play against any player in a window: also against a Python function or a policy of yours.

    python examples/steer_by_hand.py evader --opponent pursuit
    python examples/steer_by_hand.py pursuer --opponent my_file.py:flee --save rounds

You steer one vehicle with arrow keys or W A S D. A round begins when you first steer, or at
once with --rounds. With --save each finished round becomes a small file, which replays bit for
bit, and which `steer-env record --round FILE` draws. Without an opponent of your own,
`steer-env play` opens a page on which you play.
"""

import argparse
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import replace
from itertools import chain, count
from pathlib import Path
from typing import Any

import numpy as np
import pygame

from steer_env.cli import one_line_errors
from steer_env.drawing import DrawingConfig, Pixels
from steer_env.episodes.live_game import LiveGame
from steer_env.episodes.round_file import write_round
from steer_env.errors import InvalidValue, UsageError, check_integer
from steer_env.game.config import AnyGame, Game
from steer_env.game.config.keywords import given_game
from steer_env.game.engine import LARGEST_SEED
from steer_env.options import scenario_of
from steer_env.players.player import AnyPlayer, Player
from steer_env.players.resolver import object_in_file, resolve
from steer_env.rendering.overlay import draw_banner, draw_result, text_size
from steer_env.rendering.picture import PAPER, Picture, View
from steer_env.rendering.recording import Recording
from steer_env.rendering.renderer import Replay
from steer_env.rendering.window import Window
from steer_env.sides import EVADER, Side

DIRECTIONS: Mapping[str, complex] = {  # y points up
    **{"up": 1j, "left": -1, "down": -1j, "right": 1},
    **{"w": 1j, "a": -1, "s": -1j, "d": 1},
}
KEYS = "space: pause, r: same start, n: next, q: quit"
BAR = 5  # pixels: height of the time bar
STILL_SECONDS = 2.0  # for which the end of a round is shown
LONGEST = 0.25  # seconds: after a longer break the rest of it is skipped, not caught up


class Session:
    """A game that a person plays against one opponent, round after round.

    At every step ``push`` returns the direction in the arena in which the person accelerates,
    with a length of at most 1. With ``keeps_going`` rounds begin by themselves, one after the
    other; otherwise each waits, paused, until the person begins.
    """

    def __init__(
        self,
        config: Game,
        players: tuple[Player, Player],
        seed: int = 0,
        keeps_going: bool = False,
    ) -> None:
        self.config, self.keeps_going, self.round = config, keeps_going, 1
        self.game = LiveGame(config, *players)
        self.side = next(side for side in Side if players[side].is_person)
        self.vehicle = config.pursuers if self.side is EVADER else 0
        self.push: Callable[[], complex] = complex
        self._start(check_integer("seed", seed, 0, LARGEST_SEED))

    def _start(self, seed: int) -> None:
        self.seed = seed
        self.game.start(seed)
        self.is_paused, self._is_reported = not self.keeps_going, False
        self._last: float | None = None  # update
        self._rest = 0.0  # seconds since the last step

    @property
    def title(self) -> str:
        """The window's title."""
        return f"{' vs '.join(self.game.names)} - seed {self.seed} - steer_env"

    @property
    def seconds(self) -> float:
        """The time of the round."""
        return self.game.last * self.config.dt

    @property
    def is_over(self) -> bool:
        """True at the end of a round."""
        return self.game.status.is_over

    @property
    def is_waiting(self) -> bool:
        """True while a round waits for the person to begin."""
        return self.game.last == 0 and self.is_paused

    def update(self, now: float) -> bool:
        """Goes on to a time of a steady clock, in seconds.

        Returns:
            Whether the end has been shown for long enough to go on to the next round.
        """
        passed = 0.0 if self._last is None else min(max(now - self._last, 0.0), LONGEST)
        self._last = now
        if self.is_paused:
            return False
        self._rest += passed
        dt = self.config.dt
        while self._rest > dt * (1.0 - 1e-6) and not self.is_over:
            self._rest -= dt
            heading = complex(self.game.record["players"]["body"]["heading"][self.vehicle])
            own = self.push() * heading.conjugate()
            self.game.step(*self.side.ordered((own.real, own.imag), None))
        return self.keeps_going and self.is_over and self._rest > STILL_SECONDS

    def take_result(self) -> str | None:
        """Returns a line about the end of the round, once."""
        if self._is_reported or not self.is_over:
            return None
        self._is_reported = True
        return f"seed {self.seed}: {self.game.recording().outcome}"

    def pause(self) -> None:
        """Pauses, or goes on."""
        self.is_paused = not self.is_paused

    def restart(self) -> None:
        """Plays the same start again."""
        self._start(self.seed)

    def next_round(self) -> None:
        """Goes on to the next seed but from the last one."""
        if self.seed < LARGEST_SEED:
            self.round += 1
            self._start(self.seed + 1)

    def close(self) -> None:
        """Releases the game's threads."""
        self.game.close()


class Screen:
    """Draws the window of a game."""

    def __init__(self, session: Session, drawing: DrawingConfig) -> None:
        self._session, self._drawing = session, drawing
        self._replay = Replay(session.game.recording, drawing)

    def draw(self, size: tuple[int, int]) -> Pixels:
        """Draws the window of a width and height: (height, width, 3) of uint8."""
        picture = Picture(View(0j, 1.0, *size, PAPER), self._drawing)
        picture.add("fill", picture.colors.background)
        below = round(1.7 * text_size(*size))
        picture.add("part", 0j, self._scene((size[0], size[1] - below), text_size(*size)))
        self._draw_status(picture, below)
        return picture.pixels()

    def _scene(self, size: tuple[int, int], font: float) -> Picture:
        """The picture of the game, with its result or what the person should know."""
        session, replay = self._session, self._replay
        replay.drawing = replace(self._drawing, size=size)
        picture, status = replay.picture(session.game.last), session.game.status
        self._draw_ring(picture, status.record["players"]["body"], font)
        if session.is_waiting:
            text = "Steer to start: arrow keys or W A S D"
            middle, room = sum(picture.view.ground) / 2, picture.view.side - 6
            draw_banner(picture, text, picture.colors.ink, middle, 1.3 * font, room)
        elif status.is_over:
            draw_result(picture, status)
        return picture

    def _draw_ring(self, picture: Picture, bodies: np.ndarray, font: float) -> None:
        """Draws a ring around the person's vehicle."""
        view, body = picture.view, bodies[self._session.vehicle]
        center = view.to_pixel(complex(body["position"]))
        radius = view.drawn_radius(body["radius"]) * view.scale + 5
        picture.add("ring", picture.colors.ink, center, radius, 2.0, 0.3)
        is_high = center.imag - radius - 1.2 * font < 0  # no room above
        beside = center + 1j * (radius + 0.7 * font) * (1 if is_high else -1)
        picture.text("you", picture.colors.ink, beside, font, 0.5, has_rim=False)

    def _draw_status(self, picture: Picture, height: int) -> None:
        session, theme = self._session, picture.colors
        width, bottom = picture.view.width, picture.view.height
        share = session.game.last / session.config.horizon
        start = 1j * (bottom - height)
        for color, part in ((theme.grid, 1.0), (theme.pursuer, share)):
            end = start + complex(width * part, BAR)
            picture.add("rectangle", color, start, end)
        picture.add("disc", theme.pursuer, end - 0.5j * BAR, 1.1 * BAR)
        size, row = text_size(width, bottom), bottom - (height - BAR) / 2
        column, right = 0.7 * size, width - 0.7 * size
        for text in self._standing():
            place, room = complex(column, row), right - column
            column += picture.text(text, theme.ink, place, size, room=room) + 1.1 * size
        place = complex(right, row)
        picture.text(KEYS, theme.faint, place, size, 1.0, room=right - column)

    def _standing(self) -> list[str]:
        session = self._session
        seconds = f"{session.seconds:.1f} s"
        texts = [" vs ".join(session.game.names), f"seed {session.seed}", seconds]
        if session.is_waiting:
            texts.append("ready")
        elif session.is_over:
            texts.append("next follows" if session.keeps_going else "over")
        elif session.is_paused:
            texts.append("paused")
        return texts


class Controls:
    """The keys that steer: arrows and W A S D."""

    def __init__(self) -> None:
        self._held: dict[int, complex] = {}  # directions of keys
        self.release = self._held.clear  # of all, as when the window loses the focus

    def take(self, event: Any) -> bool:
        """Handles an event of pygame and returns whether it steers."""
        direction = None
        if event.type == pygame.KEYUP:
            self._held.pop(event.key, None)
        elif event.type == pygame.KEYDOWN:
            direction = DIRECTIONS.get(pygame.key.name(event.key))
        if direction is not None:
            self._held[event.key] = direction
        return direction is not None

    def push(self) -> complex:
        """The acceleration in the arena, of length 1, or 0."""
        wanted = complex(sum(set(self._held.values())))
        return wanted / abs(wanted) if wanted else 0j


class SteeringApp:
    """Lets a person play in a window until it is closed, and reports the results."""

    def __init__(
        self,
        window: Window,
        session: Session,
        drawing: DrawingConfig,
        rounds: int | None = None,
        report: Callable[[str], object] = print,
    ) -> None:
        self.window, self._controls = window, Controls()
        self._session, self._rounds, self._report = session, rounds, report
        session.push = self._controls.push
        self.actions: Mapping[str, Callable[[], object]] = {  # by the names of keys in pygame
            **{"space": session.pause, "r": session.restart, "n": session.next_round},
            **dict.fromkeys(("q", "escape"), window.close),
        }
        self.screen = Screen(session, drawing)
        self._drawn: tuple[object, ...] | None = None  # what the window shows

    def run(self) -> None:
        """Runs until the window is closed."""
        try:
            while self.window.is_open:
                self.frame(time.perf_counter())
                self.window.wait(60)  # frames a second
        finally:
            self.window.close()

    def frame(self, now: float) -> None:
        """Handles events and draws, at a time in seconds of a steady clock."""
        for event in self.window.events():
            self._handle(event)
            if not self.window.is_open:
                return
        self._advance(now)
        session = self._session
        shown = self.window.size, session.seed, session.game.last, session.is_paused
        if self.window.is_open and shown != self._drawn:
            self.window.show(self.screen.draw(self.window.size))
            self._drawn = shown

    def _handle(self, event: Any) -> None:
        session = self._session
        if event.type == pygame.QUIT:
            self.window.close()
        elif event.type in (pygame.WINDOWEXPOSED, pygame.WINDOWRESTORED):
            self._drawn = None
        elif event.type == pygame.WINDOWFOCUSLOST:
            self._controls.release()
            session.is_paused = True
        elif self._controls.take(event):
            if session.is_waiting:
                session.pause()
        elif event.type == pygame.KEYDOWN:
            is_other = event.mod & (pygame.KMOD_CTRL | pygame.KMOD_LALT | pygame.KMOD_META)
            act = None if is_other else self.actions.get(pygame.key.name(event.key))
            if act is not None:
                act()

    def _advance(self, now: float) -> None:
        session = self._session
        is_done = session.update(now)
        if (line := session.take_result()) is not None:
            self._report(line)
        if is_done and self._rounds is not None and session.round >= self._rounds:
            self.window.close()
        elif is_done:
            session.next_round()
        self.window.set_title(session.title)


def saved(folder: Path, recording: Recording) -> str:
    """Writes a round to a folder under a new name, and returns the outcome in words."""
    endings = chain([""], (f"-{number}" for number in count(2)))
    paths = (folder / f"round-{recording.seed}{ending}.json" for ending in endings)
    try:
        path = next(path for path in paths if not path.exists())
        write_round(recording, path)
    except (OSError, UsageError) as error:  # no reason to end the game
        return f"it could not be saved: {error}"
    return f"wrote {path}"


def play(
    side: str,
    opponent: AnyPlayer,
    game: AnyGame = None,
    seed: int = 0,
    rounds: int | None = None,
    save: Path | None = None,
    trust: bool = False,
    drawing: DrawingConfig | None = None,
    report: Callable[[str], object] = print,
) -> None:
    """Lets a person play a side in a window.

    Args:
        side: the person's, "pursuer" or "evader", which has one vehicle.
        opponent: as for `steer_env.record.record`.
        game: the same.
        seed: of the first round.
        rounds: how many, one after the other; None to wait in each until the person steers, and
            at its end for a key, until the window is closed.
        save: folder to write finished rounds to; None for nowhere.
        trust: must be True to load a .zip file of stable-baselines3, which can run any code.
        drawing: of the window; None for the default.
        report: called with a line about each round.
    """
    person, config = Side.named(side), given_game(game)
    if config.count(person.name) != 1:
        raise InvalidValue(
            f"a person steers one vehicle, and the game has {config.count(person.name)} "
            f"{person.name}s: steer the {person.other.name}"
        )
    players = person.ordered(Player("you"), resolve(opponent, person.other, trust))
    if rounds is not None:
        check_integer("rounds", rounds, 1)
    drawing = drawing or DrawingConfig(size=(960, 720))
    if save is not None:
        save.mkdir(parents=True, exist_ok=True)
    # A series goes on by itself.
    with closing(Session(config, players, seed, keeps_going=rounds is not None)) as session:

        def keep(line: str) -> None:
            if save is not None:
                line = f"{line}; {saved(save, session.game.recording())}"
            report(line)

        window = Window(drawing.size, session.title)
        SteeringApp(window, session, drawing, rounds, keep).run()


def main() -> None:
    """Runs the program."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("side", choices=[side.name for side in Side], help="your side")
    parser.add_argument("--opponent", required=True, help="a name, a file, or FILE.py:NAME")
    parser.add_argument("--game", default="walls", help="its name, or FILE.py:NAME")
    parser.add_argument("--seed", type=int, default=0, help="of the first round")
    parser.add_argument("--rounds", type=int, help="which follow one another")
    parser.add_argument("--save", type=Path, help="folder for finished rounds")
    parser.add_argument("--trust", action="store_true", help="load a .zip file")
    given = vars(parser.parse_args())
    with one_line_errors("steer_by_hand", "render"):
        if ".py:" in given["opponent"]:
            given["opponent"] = object_in_file(given["opponent"])
        play(**given | {"game": scenario_of(given["game"])})


if __name__ == "__main__":
    main()
