"""The site builds without a warning, explains all public names, and its links hold."""

from __future__ import annotations

import re
from collections import Counter
from html import unescape
from html.parser import HTMLParser
from importlib import import_module
from pathlib import Path
from urllib.parse import unquote, urldefrag

import pytest
from sphinx.util.inventory import InventoryFile

from steer_env import steering
from steer_env.players import pretrained
from steer_env.scenarios.registry import ENVIRONMENTS
from steer_env.scripts.roster import ROSTER

pytestmark = pytest.mark.weekly


class Page(HTMLParser):
    """What a page links to and shows."""

    def __init__(self, path):
        super().__init__()
        self.links, self.names, self.silent = [], set(), []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.names |= {given.get("id"), given.get("name")}
        self.links += [given[key] for key in ("href", "src") if given.get(key)]
        if tag == "img" and not given.get("alt", "").strip():
            self.silent.append(given.get("src"))
        if tag == "iframe" and not given.get("title", "").strip():
            self.silent.append(given.get("src"))


@pytest.fixture(scope="module")
def pages(site):
    """All pages, by their paths."""
    found = {path: Page(path) for path in site.rglob("*.html")}
    assert len(found) > 50
    return found


def page_of(pages, name):
    (found,) = (
        page for path, page in pages.items() if path.as_posix().endswith(f"/{name}.html")
    )
    return found


def test_every_link_inside_the_site_leads_somewhere(pages):
    lost = []
    for path, page in pages.items():
        for link in page.links:
            address, name = urldefrag(link)
            if re.match(r"[a-z]+:", address) or path.name == "play.html":
                continue
            address = address.partition("?")[0]
            target = (path.parent / unquote(address)).resolve() if address else path
            is_named = not name or target not in pages or target.name == "play.html"
            if not target.exists() or not (is_named or unquote(name) in pages[target].names):
                lost.append((path.name, link))
    assert not lost


def test_every_picture_and_live_figure_has_a_text(pages):
    assert not {path.name: page.silent for path, page in pages.items() if page.silent}


def test_names_in_code_lead_to_the_reference_and_pictures_change_with_the_theme(pages):
    pursuit = page_of(pages, "docs/steering/pursuit")
    explained = {"pursuit", "pursuit_aim", "evade", "comes_at_me"}
    links = {f"../api/steering/pursuit.html#steer_env.steering.{name}" for name in explained}
    assert links <= set(pursuit.links)
    pictures = {Path(link).name for link in pursuit.links if "_images" in link}
    assert {"pursuit.svg", "pursuit-dark.svg"} <= pictures


def test_the_page_of_all_steering_functions_links_to_each(pages):
    page = page_of(pages, "docs/api/steering")
    missing = {f"steer_env.steering.{name}" for name in steering.__all__}
    missing -= {urldefrag(link)[1].replace(".vehicle.", ".") for link in page.links}
    assert not missing


def test_every_page_has_a_title_and_a_description_of_its_own(pages):
    titles, descriptions = Counter(), Counter()
    for path in pages:
        text = path.read_text(encoding="utf-8")
        titles[re.search("<title>(.*?)</title>", text, re.DOTALL)[1]] += 1
        if path.parent.name != "html" and path.name != "play.html":
            (description,) = re.findall('<meta name="description" content="(.*?)">', text)
            descriptions[description] += 1
            assert 20 < len(unescape(description)) < 210, path
            assert (
                "card.png" in re.search('<meta property="og:image" content="(.*?)">', text)[1]
            )
    assert titles.most_common(1)[0][1] == 1
    assert descriptions.most_common(1)[0][1] == 1, descriptions.most_common(3)


@pytest.mark.parametrize("package", ["steer_env", "steer_env.steering", "steer_env.baselines"])
def test_every_public_name_is_explained(site, package):
    inventory = InventoryFile.loads((site / "objects.inv").read_bytes(), uri="")
    explained = {name for kind in inventory.data.values() for name in kind}
    module = import_module(package)
    homes = dict.fromkeys(("VEHICLE", "OBSTACLE"), "steer_env.steering.vehicle")
    homes |= {"EPISODE": "steer_env.baselines.measures", "TASKS": "steer_env.baselines.tasks"}
    names = {f"{homes.get(name, package)}.{name}" for name in module.__all__}
    assert names <= explained, names - explained


def test_every_environment_has_a_page(pages):
    text = "".join(
        path.read_text(encoding="utf-8") for path in pages if path.parent.name == "generated"
    )
    assert {name for name in ENVIRONMENTS if f">{name}<" not in text} == set()


def test_live_figures_show_players_that_there_are(pages):
    frames = [
        link for page in pages.values() for link in page.links if "_static/play.html#" in link
    ]
    assert len(frames) > 2
    known = {*ROSTER, *pretrained.names()}
    for frame in frames:
        given = dict(part.split("=", 1) for part in urldefrag(frame)[1].split("&"))
        assert {"seed", "view"} <= given.keys(), frame
        assert given["view"] in ("play", "lab", "arena"), frame
        assert {given[side] for side in ("pursuer", "evader") if side in given} <= known, frame
    # The first page shows a learned policy, and then a board to play on.
    boards = [link for link in page_of(pages, "docs/index").links if "play.html#" in link]
    first, second = dict.fromkeys(boards)
    assert "pursuer=pretrained/pursuit/search" in first
    assert "ghost=pursuit" in first
    assert "view=play" in second


def test_fractions_have_braces_without_which_mathml_divides_by_what_follows():
    sources = (Path(__file__).parents[2] / "docs").rglob("*.md")
    bare = re.compile(r"\\[td]?frac(?!\{)")
    assert not [path.name for path in sources if bare.search(path.read_text("utf-8"))]
