"""The site builds without a warning, its links hold, and its search finds what answers."""

import json
import re
import subprocess
import sys
from collections import Counter
from html import unescape
from html.parser import HTMLParser
from importlib import import_module
from pathlib import Path
from urllib.parse import unquote, urldefrag

import pytest
from rendering.browser import NEEDS_BROWSER
from sphinx.util.inventory import InventoryFile

from steer_env import steering
from steer_env.players import pretrained
from steer_env.scenarios.registry import ENVIRONMENTS
from steer_env.scripts.roster import ROSTER
from tests.browser.driving import wait_for

pytestmark = pytest.mark.weekly

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of the site, built as `make docs` builds it."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-c", "docs"]
    run = subprocess.run(
        [*command, "-d", folder / "doctrees", ".", folder / "html"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert not run.stdout + run.stderr
    return folder / "html"


class Page(HTMLParser):
    """The links and the text of a page."""

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
    (found,) = (page for p, page in pages.items() if p.as_posix().endswith(f"/{name}.html"))
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
            (picture,) = re.findall('<meta property="og:image" content="(.*?)">', text)
            assert "card.png" in picture
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
    frames = [link for page in pages.values() for link in page.links if "/play.html#" in link]
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
    sources = (ROOT / "docs").rglob("*.md")
    bare = re.compile(r"\\[td]?frac(?!\{)")
    assert not [path.name for path in sources if bare.search(path.read_text("utf-8"))]


# ---- Its search ------------------------------------------------------------------------------

ANSWERS = {
    "install": "docs/start",
    "capture radius": "docs/game/index",
    "how fast": "docs/benchmarks",
    "train ppo": "docs/train",
    "observation": "docs/game/generated/environments",
    "reward": "docs/game/generated/environments",
    "pettingzoo": "docs/game/teams",
    "my own opponent": "docs/extend",
    "confidence interval": "docs/evaluate",
    "homicidal chauffeur": "docs/game/solved",
    "record gif": "docs/watch",
    "obstacles": "docs/game/generated/obstacles",
    "cite": "docs/index",
    # As people type, written before the search was tried:
    "quickstart": "docs/start",
    "stable baselines": "docs/train docs/start",
    "save model": "docs/train",
    "hide and seek": "docs/steering/places",
    "jax": "docs/beside_others examples/README",
    "colab": "docs/start docs/classroom",
    "custom reward": "docs/extend",
    "dubins car": "docs/game/solved",
    "proportional navigation": "docs/steering/guidance",
    "boids": "docs/steering/flocking",
    "cluster": "deploy/README",
    "partial observability": "docs/game/teams docs/game/generated/environments",
    "domain randomization": "docs/start docs/game/generated/environments",
    "image observation": "docs/extend",
    "list of opponents": "docs/opponents",
}
"""The page that answers each question, or pages of which one does."""


def first_results(browser, site, question, count=1):
    """The first pages that the search lists for a question."""
    browser.open(site / "search.html")
    browser.run(f"Search.performSearch({json.dumps(question)})")  # as the field's form does
    wait_for(browser, "Search.title.innerText === 'Search Results'")
    links = browser.run(
        "[...document.querySelectorAll('#search-results li > a')].map((link) => link.href)"
    )
    start = f"{site.as_uri()}/"
    return [link.removeprefix(start).partition(".html")[0] for link in links[:count]]


@NEEDS_BROWSER
def test_the_page_that_answers_comes_first(site, browser):
    found = {words: first_results(browser, site, words)[0] for words in ANSWERS}
    wrong = {words: page for words, page in found.items() if page not in ANSWERS[words].split()}
    assert len(wrong) <= 2, wrong


@NEEDS_BROWSER
@pytest.mark.parametrize("words", ["observation", "pursuit", "save model", "opponent"])
def test_each_page_is_listed_once(words, site, browser):
    pages = [
        page
        for page in first_results(browser, site, words, count=1000)
        if not page.startswith("docs/api/")  # of which each name is a result
    ]
    assert len(pages) == len(set(pages)) > 2


# ---- In a browser: the theme reaches the boards, and wide tables take the focus --------------

BOARD = """<script>addEventListener("message", ({ data }) =>
parent.postMessage({ heard: data }, "*"));</script>"""
PAGE = """<body data-theme="auto"><script>const heard = [];
addEventListener("message", ({ data }) => data.heard && heard.push(data.heard));
</script><script src="%s"></script>
<figure class="live"><iframe src="board.html"></iframe></figure>"""


@NEEDS_BROWSER
def test_a_board_gets_the_theme_when_it_has_loaded_and_when_it_changes(site, tmp_path, browser):
    (tmp_path / "board.html").write_text(BOARD, "utf-8")
    page = tmp_path / "page.html"
    page.write_text(PAGE % (site / "_static" / "site.js").as_uri(), "utf-8")
    browser.open(page, dark=True)
    for theme, shown in (("auto", "dark"), ("light", "light"), ("dark", "dark")):
        browser.run(f"document.body.dataset.theme = '{theme}'")
        expected = json.dumps({"type": "steer-env-theme", "theme": shown})
        found = f"JSON.stringify(heard.at(-1)) === JSON.stringify({expected})"
        wait_for(browser, found)
    assert not browser.errors


@NEEDS_BROWSER
def test_a_wide_table_can_be_scrolled_with_the_keyboard(site, browser):
    browser.open(site / "docs" / "opponents.html", size=(400, 800))
    wait_for(browser, "document.querySelector('.table-wrapper[tabindex]')")


GUIDES = "start experiment extend game/index game/teams opponents evaluate train classroom"


@NEEDS_BROWSER
@pytest.mark.parametrize("page", [*GUIDES.split(), "steering/index", "steering/pursuit"])
def test_tables_of_guides_fit_a_narrow_window(page, site, browser):
    browser.open(site / "docs" / f"{page}.html", size=(900, 900))
    widths = browser.run(
        "[...document.querySelectorAll('.table-wrapper')]"
        ".map((table) => table.scrollWidth - table.clientWidth)"
    )
    assert all(more <= 0 for more in widths), widths


@NEEDS_BROWSER
def test_a_result_has_lines_for_its_percentage_interval_and_time(site, browser):
    text = "document.querySelector('td:has(.interval):nth-child(2) > p')"
    for width, lines in ((900, 3), (400, 2)):  # without the intervals on phones
        browser.open(site / "docs" / "opponents.html", size=(width, 800))
        found = browser.run(
            f"{text}.clientHeight / parseFloat(getComputedStyle({text}).lineHeight)"
        )
        assert round(found) == lines
        assert ("[" in browser.run(f"{text}.innerText")) == (width == 900)
