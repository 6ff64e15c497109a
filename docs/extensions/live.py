"""A directive for a board on which the compiled loop plays, in the page itself.

    ```{live}
    :alt: Drag the evader, and see where pursuit steers
    :height: 460
    seed=7&pursuer=pursuit&evader=wander&view=lab
    ```

The body is the hash of the page that ``steer-env play --out`` writes.
"""

from __future__ import annotations

from html import escape
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

ROOT = Path(__file__).parent.parent.parent
PAGE = ROOT / "build" / "docs" / "static" / "play.html"
"""The page, one of the site's static files."""


class Live(SphinxDirective):
    """Shows the page that plays in the browser."""

    has_content = True
    option_spec = {  # noqa: RUF012
        "alt": directives.unchanged_required,
        "height": directives.positive_int,
    }

    def run(self) -> list[nodes.Node]:
        """Returns the node of the frame, and a link to the page for a window of its own."""
        if "alt" not in self.options:
            raise self.error("a live figure needs :alt:, its title")
        words = "".join(line.strip() for line in self.content)
        up = "../" * self.env.docname.count("/")
        link = escape(f"{up}_static/play.html#{words}", quote=True)
        title, height = escape(self.options["alt"], quote=True), self.options.get("height", 460)
        end = "" if title.endswith((".", "?")) else "."
        return [
            nodes.raw(
                "",
                f'<figure class="live"><iframe src="{link}" title="{title}" loading="lazy" '
                f'style="height: {height}px"></iframe><figcaption>{title}{end} '
                f'<a href="{link}">Open it in a window of its own</a></figcaption></figure>',
                format="html",
            )
        ]


def _write_page(app: Sphinx) -> None:
    from steer_env.browser.page import save_play_page

    PAGE.parent.mkdir(parents=True, exist_ok=True)
    save_play_page(PAGE)


def setup(app: Sphinx) -> dict[str, bool]:
    """Registers the directive, and writes the page."""
    app.add_directive("live", Live)
    app.connect("builder-inited", _write_page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
