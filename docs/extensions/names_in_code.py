"""Links from names in code to the reference: `pursuit_aim()`, and whole ones with their module.

Pages have no roles for it, so that a code host shows them as the site does.
"""

from __future__ import annotations

import re

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

from steer_env import steering

_NAME = re.compile(r"steer_env(?:\.\w+)+|(\w+)\(\)")


class NamesInCode(SphinxTransform):
    """Makes a reference of each name of the library that stands in code."""

    default_priority = 400

    def apply(self) -> None:
        """Adds the references; those that the site does not explain stay code."""
        for code in list(self.document.findall(nodes.literal)):
            found = _NAME.fullmatch(code.astext())
            if not found or isinstance(code.parent, (nodes.reference, addnodes.pending_xref)):
                continue
            if found[1] and not hasattr(steering, found[1]):
                continue
            target = f"{steering.__name__}.{found[1]}" if found[1] else found[0]
            link = addnodes.pending_xref(
                "", refdomain="py", reftype="obj", reftarget=target, refexplicit=True
            )
            link["refdoc"] = self.env.docname
            code.replace_self(link)
            link += code


def setup(app: Sphinx) -> dict[str, bool]:
    """Registers the transform."""
    app.add_transform(NamesInCode)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
