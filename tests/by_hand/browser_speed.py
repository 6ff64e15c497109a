"""How fast the page to play on is: its loop beside this machine's, its start and its frames.

Run it with ``PYTHONPATH=. python tests/by_hand/browser_speed.py``; it needs Chromium. Both
loops play the same games in one thread, in turns, and the medians are compared.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from pathlib import Path

from steer_env.browser.page import save_play_page
from steer_env.game.config import game_config
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

PLAY = """(() => {{
    const players = ['{pursuer}', '{evader}'].map((name) => chase.playerNamed(name));
    const game = chase.library.games.{game};
    const engine = new chase.Engine(chase.play.machine, game, players, {games});
    engine.start(Array.from({{ length: {games} }}, (_, k) => BigInt(k)));
    const start = performance.now();
    engine.play({steps}, "restart");
    const seconds = (performance.now() - start) / 1000;
    engine.close();
    return seconds;
}})()"""

FRAMES = """new Promise((done) => {
    const stamps = [];
    const note = (now) => {
        stamps.push(now);
        if (stamps.length < 240) return requestAnimationFrame(note);
        const gaps = stamps.slice(1).map((stamp, place) => stamp - stamps[place]);
        gaps.sort((one, other) => one - other);
        done([0.5, 0.95, 1].map((share) => gaps[Math.ceil(share * gaps.length) - 1]));
    };
    requestAnimationFrame(note);
})"""


def native_seconds(keywords: dict, pursuer: str, evader: str) -> float:
    """The seconds that this machine's loop takes for the same games, in one thread."""
    scripts = [[named_script(name)] for name in (pursuer, evader)]
    engine = Engine(game_config(**keywords), *scripts, GAMES, num_threads=1)
    engine.seed(range(GAMES))
    engine.start()
    none = engine.no_actions(0), engine.no_actions(1)
    engine.step(*none, 0, restart=True, is_observed=False)
    engine.seed(range(GAMES))
    engine.start()
    outcome = engine.new_outcome(0, is_observed=False)
    start = time.perf_counter()
    engine._runner.call(0, outcome, STEPS, 1)
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    repeats = parser.parse_args().repeats
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "play.html")
        save_play_page(page)
        print(f"page: {page.stat().st_size:,} bytes")
        browser = Browser()
        try:
            report_start(browser, page, repeats)
            report_speed(browser, page, repeats)
            report_frames(browser, page)
        finally:
            browser.close()


def report_start(browser: Browser, page: Path, repeats: int) -> None:
    """Prints when the page has painted something, and when it can be played."""
    watch = "new Promise((done) => setTimeout(done, 300)).then(() => [performance.getEntriesBy"
    watch += "Name('first-contentful-paint')[0].startTime, chase.app.ready])"
    found = []
    for _ in range(repeats):
        browser.open(page, "seed=1", (1400, 900))
        found.append(browser.run(watch))
    paint, ready = (statistics.median(each) for each in zip(*found))
    print(f"first paint after {paint:.0f} ms, playable after {ready:.0f} ms")


def report_speed(browser: Browser, page: Path, repeats: int) -> None:
    """Prints the game steps a second of both loops."""
    browser.open(page, "seed=1", (1400, 900))
    print(f"{'game':10} {'pursuer':24} {'browser':>10} {'native':>10} {'ratio':>6}")
    for game, keywords, pursuer, evader in PAIRS:
        names = {"game": game, "pursuer": pursuer, "evader": evader}
        program = PLAY.format(**names, games=GAMES, steps=STEPS)
        browser.run(program)  # compiled once more, for speed
        pairs = [
            (browser.run(program), native_seconds(keywords, pursuer, evader))
            for _ in range(repeats)
        ]
        theirs, ours = (statistics.median(each) for each in zip(*pairs))
        steps = GAMES * STEPS / 1e6
        speeds = f"{steps / theirs:8.2f} M {steps / ours:8.2f} M {ours / theirs:6.2f}"
        print(f"{game:10} {pursuer:24} {speeds}")


def report_frames(browser: Browser, page: Path) -> None:
    """Prints the milliseconds between frames: the median, 95% and the longest."""

    def report(what: str) -> None:
        median, most, longest = browser.run(FRAMES)
        print(f"{what}: {median:.1f} ms a frame, 95% {most:.1f}, longest {longest:.1f}")

    browser.open(page, "seed=1&as=evader&level=easy", (1400, 900))
    browser.press("Enter")
    browser.run("new Promise((done) => setTimeout(done, 2500))")
    report("playing")
    browser.open(page, "view=lab&seed=7", (1400, 900))
    report("laboratory")
    browser.press("m")
    browser.press(" ")
    # A vehicle goes round and round under the pointer, while the map is made anew.
    browser.run("""(() => {
        const { lab } = chase.play;
        lab.hold(0, 0);
        const move = (now) => {
            lab.move(6 * Math.cos(now / 700), 6 * Math.sin(now / 700));
            chase.app.isBoardStale = true;
            requestAnimationFrame(move);
        };
        requestAnimationFrame(move);
    })()""")
    report("dragging, with the map")


if __name__ == "__main__":
    main()
