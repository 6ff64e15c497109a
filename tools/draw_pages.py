"""Draws the pictures of the documentation's pages anew, in both themes, into docs/drawn.

    PYTHONPATH=. python tools/draw_pages.py [NAME ...]

A page shows a picture and, below it, what draws it: one of this project's commands that takes
``--theme``, or Python code that saves the file with matplotlib.

    ![Pursuit cuts the corner](../drawn/pursuit.svg)

    *Pursuit steers for the predicted point.*

    ```bash
    steer-env record --pursuer pursuit --seed 431 --size 360 --out pursuit.svg
    ```

`SMALL` are those of the README's row of games, in baselines/results. All of them take two
minutes. The files are kept small: numbers of matplotlib's paths have two decimals, its letters
are text, and PNGs have 64 colors.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from page_parts import both_themes

from steer_env import cli

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "drawn"
"""The folder of the pages' pictures."""

_DRAWN = re.compile(
    r"^!\[[^\]]+\]\([./]*drawn/([^)]+)\)\n\n"  # the picture
    r"(?:\*[^\n]+\*\n\n)?"  # its caption
    r"```(?:bash|python)\n(.*?)^```$",  # what draws it
    re.MULTILINE | re.DOTALL,
)


SMALL = {
    f"small_{name}.svg": f"steer-env record --pursuer {pursuer} --evader {evader} "
    f"--game {game} --seed {seed} --moment {moment} --annotations trail,capture --size 199 "
    f"--out small_{name}.svg"
    for name, game, pursuer, evader, seed, moment in (
        ("obstacles", "obstacles", "pretrained/obstacles/pursuit/benchmark", "escape", 5, 3.0),
        ("pack", "pack", "constant_bearing/full_force", "escape/full_force", 1, 3.2),
        ("guard", "guard", "block/full_force", "reach/full_force", 1, 2.1),
        ("chauffeur", "homicidal_chauffeur", *2 * ("optimal/chauffeur",), 2, 6.0),
    )
}
"""The commands of the README's row of games: below 200 pixels there are no texts."""


def drawings() -> dict[str, str]:
    """Returns the command or code that draws each picture, by the name of its file."""
    found: dict[str, str] = {}
    for page in sorted((ROOT / "docs").rglob("*.md")):
        for name, body in _DRAWN.findall(page.read_text(encoding="utf-8")):
            if name not in body:
                raise ValueError(f"{page.name}: {name} is not written by: {body}")
            if found.setdefault(name, body) != body:
                raise ValueError(f"{page.name}: {name} is also drawn by: {found[name]}")
    return found


def draw(name: str, body: str, folder: Path = FOLDER) -> list[Path]:
    """Draws a picture in both themes, and returns the files."""
    paths = both_themes(folder / name)
    run = _command if body.startswith("steer-env ") else _code
    for theme, path in zip(("light", "dark"), paths):
        with _working_in(folder), contextlib.redirect_stdout(io.StringIO()):
            run(body.replace(name, path.name), theme)
        _make_small(path)
    return paths


@contextlib.contextmanager
def _working_in(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def _command(body: str, theme: str) -> None:
    os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
    _, *arguments = shlex.split(body.replace("\\\n", " "))
    cli.main([*arguments, "--theme", theme])


def _code(body: str, theme: str) -> None:
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    from steer_env.baselines.plots import themed

    with themed(theme) as colors:  # C0 and C1 are the evader's and the pursuer's on boards
        cycle = matplotlib.cycler(color=[colors.evader, colors.pursuer, *colors.lines[2:6]])
        matplotlib.rcParams.update({"axes.prop_cycle": cycle, "svg.fonttype": "none"})
        exec(compile(body, "figure", "exec"), {"__name__": "__main__"})
    pyplot.close("all")


def _make_small(path: Path) -> None:
    if path.suffix == ".png":
        from PIL import Image

        with Image.open(path) as picture:
            few = picture.convert("RGB").quantize(64, dither=Image.Dither.NONE)
        few.save(path, optimize=True)
        return
    text = path.read_text(encoding="utf-8")
    if "<metadata>" not in text:  # a board, which is small
        return
    text = re.sub(r" *<metadata>.*?</metadata>\n", "", text, flags=re.DOTALL)  # its date, too
    text = re.sub(r'(?<= d=")[^"]+', lambda path: re.sub(r"(\.\d\d)\d+", r"\1", path[0]), text)
    # Its smallest letters (8 points) have 11 pixels at 600 pixels for 6 inches.
    text = re.sub(
        r'\b(width|height)="([\d.]+)pt"',
        lambda size: f'{size[1]}="{float(size[2]) * 600 / 432:.0f}"',
        text,
        count=2,
    )
    path.write_text(text, encoding="utf-8")


def main() -> None:
    """Draws the pictures that the command line names, and removes those without a page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="such as pursuit.svg; all by default")
    found = drawings()
    FOLDER.mkdir(exist_ok=True)
    for name in parser.parse_args().names or (*found, *SMALL):
        folder = ROOT / "baselines" / "results" if name in SMALL else FOLDER
        for path in draw(name, {**found, **SMALL}[name], folder):
            print(path.relative_to(ROOT), f"{path.stat().st_size / 1000:.0f} kB", flush=True)
    kept = {path for name in found for path in both_themes(FOLDER / name)}
    for path in set(FOLDER.iterdir()) - kept:
        path.unlink()


if __name__ == "__main__":
    main()
