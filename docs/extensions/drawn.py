"""A directive for a picture and what draws it.

    ```{drawn} pursuit.svg
    :alt: Pursuit cuts the corner
    :caption: Pursuit steers for the predicted point.
    python -m steer_env record --pursuer pursuit --seed 431 --size 480 --svg pursuit.svg
    ```

The body is shown, and draws the picture in the light and in the dark theme while the site is
built: either one of this project's commands that writes the named file and takes ``--theme``,
or Python code that saves the file with matplotlib.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import re
import shlex
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from baselines.pictures import both_themes

ROOT = Path(__file__).parent.parent.parent
FOLDER = ROOT / "build" / "docs" / "drawn"
"""Where pictures are kept from one build to the next."""

_NARROW = 400  # pixels: a wider picture scrolls on a phone, rather than to shrink its letters

_PROGRAMS = ("steer_env", "baselines")


class Drawn(SphinxDirective):
    """Draws a picture in both themes, and shows what draws it."""

    has_content = True
    required_arguments = 1
    option_spec = {  # noqa: RUF012
        "alt": directives.unchanged_required,
        "caption": directives.unchanged,
    }

    def run(self) -> list[nodes.Node]:
        """Returns the nodes of the picture and of the command or code."""
        name, body = self.arguments[0], "\n".join(self.content).strip()
        if "alt" not in self.options:
            raise self.error("a picture needs :alt:, for people who do not see it")
        if name not in body:
            raise self.error(f"{name} is not written by: {body}")
        try:
            draw(name, body)
        except Exception as error:
            raise self.error(f"{name} could not be drawn: {error}") from error
        page = Path(self.env.doc2path(self.env.docname))
        uri = Path(os.path.relpath(FOLDER / name, page.parent)).as_posix()
        picture, width = nodes.image(uri=uri, alt=self.options["alt"]), _width(FOLDER / name)
        is_wide = width > _NARROW
        if is_wide:
            picture["width"] = f"{width}px"
        shown: list[nodes.Node] = [picture]
        if "caption" in self.options:
            inline, messages = self.state.inline_text(self.options["caption"], self.lineno)
            shown.append(nodes.caption("", "", *inline, *messages))
        if body.startswith("python -m "):
            block = nodes.literal_block(body, _folded(body), language="bash")
        else:
            block = nodes.literal_block(body, body, language="python")
        classes = ["drawn", "wide"] if is_wide else ["drawn"]
        return [nodes.figure("", *shown, classes=classes), block]


def _width(path: Path) -> int:
    """The least width at which all letters of a picture have 11 pixels; 0 if it is not SVG.

    Boards have such letters at their own width, figures of matplotlib (8 points) at 600 pixels
    for 6 inches.
    """
    if path.suffix != ".svg":
        return 0
    found = re.search(r'<svg[^>]* width="([\d.]+)(pt)?"', path.read_text(encoding="utf-8"))
    if found is None:
        return 0
    return round(float(found[1]) * (600 / 432 if found[2] else 1))


def draw(name: str, body: str) -> None:
    """Draws a picture in both themes, unless it has been drawn by the same code before."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    stamp = FOLDER / f"{name}.stamp"
    digest = hashlib.sha256(f"{_digest_of_code()}{body}".encode()).hexdigest()
    if stamp.exists() and stamp.read_text() == digest:
        return
    path = FOLDER / name
    for theme, place in zip(("light", "dark"), both_themes(path)):
        place.unlink(missing_ok=True)
        run = _command if body.startswith("python -m ") else _code
        said = io.StringIO()
        with (
            _working_in(FOLDER),
            contextlib.redirect_stdout(io.StringIO()),
            contextlib.redirect_stderr(said),
        ):
            try:
                run(body.replace(name, place.name), theme)
            except SystemExit as error:
                raise RuntimeError(said.getvalue()) from error
        if not place.exists():
            raise FileNotFoundError(f"{place.name} has not been written")
    stamp.write_text(digest)


@contextlib.contextmanager
def _working_in(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def _command(body: str, theme: str) -> None:
    program, *arguments = shlex.split(body.replace("\\\n", " "))[2:]
    if program not in _PROGRAMS:
        raise ValueError(f"the command must be of {' or '.join(_PROGRAMS)}, got {program}")
    main: Callable[[list[str]], Any] = import_module(f"{program}.__main__").main
    os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
    main([*arguments, "--theme", theme])


def _code(body: str, theme: str) -> None:
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    from baselines.figure_style import themed

    with themed(theme) as colors:  # C0 and C1 are the evader's and the pursuer's on boards
        cycle = matplotlib.cycler(color=[colors.evader, colors.pursuer, *colors.lines[2:6]])
        matplotlib.rcParams["axes.prop_cycle"] = cycle
        exec(compile(body, "figure", "exec"), {"__name__": "__main__"})
    pyplot.close("all")


def _folded(command: str) -> str:
    """A command on lines of about 80 characters, broken before options."""
    lines = [""]
    words = map(shlex.quote, shlex.split(command.replace("\\\n", " ")))
    for part in " ".join(words).split(" --"):  # an option and its values
        option = f" --{part}" if lines != [""] else part
        if len(lines[-1]) + len(option) > 78 and lines[-1].strip():
            lines[-1] += " \\"
            lines.append("   ")
        lines[-1] += option
    return "\n".join(lines)


@cache
def _digest_of_code() -> str:
    """A digest of all code that a picture can depend on."""
    found = hashlib.sha256()
    for program in _PROGRAMS:
        for path in sorted((ROOT / program).rglob("*.py")):
            found.update(path.read_bytes())
    return found.hexdigest()


def setup(app: Sphinx) -> dict[str, bool]:
    """Registers the directive."""
    app.add_directive("drawn", Drawn)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
