"""Sphinx' configuration of the site, from the Markdown of the whole checkout: `make docs`."""

from __future__ import annotations

import re
import sys
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "docs" / "extensions"), str(ROOT / "tools")]

import steer_env  # noqa: E402

project = "steer_env"
author = "the steer_env authors"
copyright = f"2026, {author}"
version = release = steer_env.__version__
project_file = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
urls = project_file.get("urls", {})  # of the repository and of the site, once there are any

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "both_themes",
    "live",
    "mathml",
    "names_in_code",
    "page_head",
    "public_names",
]

# Pages that commands write stay where they are, so that their links and pictures hold.
root_doc = "docs/index"
include_patterns = [
    "docs/**",
    "agents/pretrained/README.md",
    "baselines/PROTOCOL.md",
    "baselines/results/**",
    "deploy/README.md",
    "examples/README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
]
exclude_patterns = [".*", "build", "runs", "**/__pycache__"]
source_suffix = {".md": "markdown"}

myst_enable_extensions = ["attrs_inline", "colon_fence", "dollarmath", "deflist"]
myst_heading_anchors = 3
default_role = "py:obj"  # a name in a docstring is a link where the site explains it
suppress_warnings = ["myst.header"]  # a docstring's headings begin with the second level

autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True
python_use_unqualified_type_names = True
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"

html_math_renderer = "mathml"
html_theme = "furo"
html_title = f"steer_env {release}"
html_baseurl = urls.get("Documentation", "")
BUILT = ROOT / "build" / "docs" / "static"
BUILT.mkdir(parents=True, exist_ok=True)  # before Sphinx looks for it
html_static_path = ["_static", str(BUILT)]
html_extra_path = ["_extra"]
html_favicon = str(BUILT / "favicon.svg")
html_search_scorer = str(ROOT / "docs" / "search_scorer.js")
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_copy_source = False
html_show_sphinx = False
html_theme_options = {
    "light_css_variables": {
        "color-brand-primary": "#0060a8",
        "color-brand-content": "#0060a8",
        "color-code-background": "#f4f5f7",  # on white, the style's own cannot be seen
    },
    "dark_css_variables": {"color-brand-primary": "#7cc4ff", "color-brand-content": "#7cc4ff"},
}
if repository := urls.get("Repository", "").rstrip("/"):
    html_theme_options |= {  # the links to see and to edit a page, and one at its end
        "source_repository": f"{repository}/",
        "source_branch": "main",
        "source_directory": "",
        "footer_icons": [{"name": "Repository", "url": repository, "html": "Repository"}],
    }


def setup(app):
    """Reads what pages have in comments, which code hosts hide: contents and search words."""

    def read(app, name, source):
        text = re.sub(
            r"^<!-- toctree\n(.*?)^-->$",
            r"```{toctree}\n:hidden:\n\1```",
            source[0],
            flags=re.MULTILINE | re.DOTALL,
        )
        source[0] = re.sub(
            r"^<!-- search: (.*) -->$",
            lambda found: "```{index} ! " + found[1].replace(", ", ", ! ") + "\n```",
            text,
            flags=re.MULTILINE,
        )

    app.connect("source-read", read)
