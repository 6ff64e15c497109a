"""Pictures in two themes: NAME.svg is shown on light pages, NAME-dark.svg on dark ones."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

from docutils import nodes
from page_parts import both_themes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

# Pages that people also read in the checkout choose by markup of their own.
_PICTURE = re.compile(r'<picture>.*<img alt="([^"]*)" src="([^"]*)">\s*</picture>', re.DOTALL)


class BothThemes(SphinxTransform):
    """Adds its dark variant to each picture that has one."""

    default_priority = 400  # before Sphinx collects the pictures

    def apply(self) -> None:
        """Adds the variants."""
        for markup in list(self.document.findall(nodes.raw)):
            if found := _PICTURE.fullmatch(markup.astext().strip()):
                markup.replace_self(nodes.image(alt=unescape(found[1]), uri=found[2]))
        for picture in list(self.document.findall(nodes.image)):
            dark = both_themes(picture["uri"])[1].as_posix()
            if "://" in picture["uri"] or not Path(self.env.relfn2path(dark)[1]).exists():
                continue
            other = picture.deepcopy()
            other["uri"] = dark
            picture["classes"].append("only-light")
            other["classes"].append("only-dark")
            picture.parent.insert(picture.parent.index(picture) + 1, other)


def setup(app: Sphinx) -> dict[str, bool]:
    """Registers the transform."""
    app.add_transform(BothThemes)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
