"""Measures the page to play on: its loop beside this machine's, and its start.

    PYTHONPATH=. python tests/by_hand/browser_speed.py

Both loops play the same games in one thread, in turns; medians are compared.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from contextlib import closing
from pathlib import Path

import tyro

from steer_env.browser.page import save_play_page
from steer_env.game.config import make_game
from steer_env.game.engine import Engine
from steer_env.scripts.roster import named_script
from tests.rendering.browser import Browser

PAIRS = (
    ("walls", {}, "pursuit", "evade"),
    ("torus", {"arena": "torus"}, "pursuit", "evade"),
    ("obstacles", {"obstacles": 5}, "pursuit/among_obstacles", "evade/among_obstacles"),
    ("pack", {"pursuers": 3}, "voronoi", "evade"),
)
GAMES, STEPS = 2048, 300

PLAY = """(() => {
    const players = ['%s', '%s'].map((name) => chase.playerNamed(name));
    const engine = new chase.Engine(chase.play.machine, chase.library.games.%s, players, %d);
    engine.start(Array.from({ length: %d }, (_, k) => BigInt(k)));
    const start = performance.now();
    engine.play(%d, "restart");
    const seconds = (performance.now() - start) / 1000;
    engine.close();
    return seconds;
})()"""

TIMES = """[performance.getEntriesByName('first-contentful-paint')[0].startTime,
    chase.app.ready]"""


def native_seconds(keywords: dict, pursuer: str, evader: str) -> float:
    """The seconds that this machine's loop takes for the same games, in one thread."""
    scripts = [[named_script(name)] for name in (pursuer, evader)]
    engine = Engine(make_game(**keywords), *scripts, GAMES, num_threads=1)
    outcome = engine.new_outcome(0, is_observed=False)
    for steps in (1, STEPS):  # the first step lays everything out
        engine.seed(range(GAMES))
        engine.start()
        start = time.perf_counter()
        engine._runner.call(0, outcome, steps, 1)
    return time.perf_counter() - start


def report(browser: Browser, page: Path, repeats: int) -> None:
    """Prints when the page can be played, and the game steps a second of both loops."""
    found = []
    for _ in range(repeats):
        browser.open(page, "seed=1", (1400, 900))
        time.sleep(0.3)
        found.append(browser.run(TIMES))
    paint, ready = (statistics.median(each) for each in zip(*found))
    print(f"first paint after {paint:.0f} ms, playable after {ready:.0f} ms")
    print(f"{'game':10} {'pursuer':24} {'browser':>10} {'native':>10} {'ratio':>6}")
    for game, keywords, *players in PAIRS:
        program = PLAY % (*players, game, GAMES, GAMES, STEPS)
        browser.run(program)  # compiled once more, for speed
        pairs = [
            (browser.run(program), native_seconds(keywords, *players)) for _ in range(repeats)
        ]
        theirs, ours = (statistics.median(each) for each in zip(*pairs))
        steps = GAMES * STEPS / 1e6
        speeds = f"{steps / theirs:8.2f} M {steps / ours:8.2f} M {ours / theirs:6.2f}"
        print(f"{game:10} {players[0]:24} {speeds}")


def main(repeats: int = 5) -> None:
    """Writes the page, and measures it."""
    with tempfile.TemporaryDirectory() as folder, closing(Browser()) as browser:
        page = Path(folder, "play.html")
        save_play_page(page)
        print(f"page: {page.stat().st_size:,} bytes")
        report(browser, page, repeats)


if __name__ == "__main__":
    tyro.cli(main)
