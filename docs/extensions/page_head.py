"""The head of each page: its description, for search engines and shared links, and its icon."""

from __future__ import annotations

import re
from html import escape, unescape
from typing import Any
from urllib.parse import unquote

from docutils import nodes
from live import PAGE, ROOT
from PIL import Image
from sphinx.application import Sphinx

_ICON = re.compile(r'rel="icon" href="data:image/svg\+xml,([^"]+)"')
_LONGEST = 200  # letters: more are not shown


def _description(doctree: nodes.document) -> str:
    """The first paragraph outside of tables, as long as whole words of it fit."""
    found = (
        each for each in doctree.findall(nodes.paragraph) if each.parent.tagname != "entry"
    )
    texts = (" ".join(each.astext().split()) for each in found)
    text = next((text for text in texts if len(text) > 20), "")
    text = re.sub(r"\\text\{(.*?)\}", r"\1", text)  # in formulas
    return text if len(text) <= _LONGEST else text[:_LONGEST].rsplit(" ", 1)[0] + " …"


def _describe(app: Sphinx, name: str, template: str, context: Any, doctree: Any) -> None:
    if doctree is None:
        return
    picture, address = "_static/card.png", app.config.html_baseurl.rstrip("/")
    title = unescape(re.sub("<.*?>", "", context["title"]))
    found = {
        "description": _description(doctree),
        "og:title": " - ".join(dict.fromkeys((title, app.config.project))),
        "og:description": _description(doctree),
        "og:image": f"{address}/{picture}" if address else context["pathto"](picture, 1),
        "og:type": "website",
    }
    context["metatags"] += "".join(
        f'\n<meta {"property" if ":" in key else "name"}="{key}" content="{escape(text)}">'
        for key, text in found.items()
    )


def _write_icon(app: Sphinx, config: Any) -> None:
    """Writes the icon of the page that plays as a file."""
    icon = _ICON.search((ROOT / "steer_env/rendering/pages/page.html").read_text("utf-8"))[1]
    (PAGE.parent / "favicon.svg").write_text(unquote(icon), "utf-8")


def _draw_card(app: Sphinx) -> None:
    """Draws the picture for links, the end of the film, also for the page that plays."""
    with Image.open(ROOT / "baselines" / "results" / "chase.gif") as film:
        film.seek(film.n_frames - 1)
        film.convert("RGB").save(PAGE.parent / "card.png", optimize=True)
    image = '<meta property="og:image" content="card.png">\n<title>'
    PAGE.write_text(PAGE.read_text("utf-8").replace("<title>", image, 1), "utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Connects what is done to the head of each page."""
    app.connect("config-inited", _write_icon)
    app.connect("builder-inited", _draw_card, priority=600)  # after the page is written
    app.connect("html-page-context", _describe)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
