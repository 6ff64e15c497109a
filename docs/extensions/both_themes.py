"""Pictures in two themes: NAME.svg is shown on light pages, NAME-dark.svg on dark ones."""

from __future__ import annotations

from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

from baselines.tables import both_themes


class BothThemes(SphinxTransform):
    """Adds its dark variant to each picture that has one."""

    default_priority = 400  # before Sphinx collects the pictures

    def apply(self) -> None:
        """Adds the variants."""
        folder = Path(self.env.doc2path(self.env.docname)).parent
        for picture in list(self.document.findall(nodes.image)):
            dark = both_themes(picture["uri"])[1]
            if "://" in picture["uri"] or not (folder / dark).exists():
                continue
            other = picture.deepcopy()
            other["uri"] = dark.as_posix()
            picture["classes"].append("only-light")
            other["classes"].append("only-dark")
            picture.parent.insert(picture.parent.index(picture) + 1, other)


def setup(app: Sphinx) -> dict[str, bool]:
    """Registers the transform."""
    app.add_transform(BothThemes)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
