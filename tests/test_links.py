"""The repository on a code host: links, pictures and blocks of Markdown; sizes of files."""

import posixpath
import re
import subprocess
from collections import Counter
from functools import cache
from pathlib import Path
from urllib.parse import unquote

import pytest
from markdown_it import MarkdownIt

ROOT = Path(__file__).parent.parent
MOST = 300_000  # bytes of a file, since whoever clones loads each of its versions
LARGE = {
    "baselines/results/chase.gif": "the film at the top of the README",
    "constraints.txt": "the hashes of all files of each package that `make` installs",
    "steer_env/machine_code/linux-x86_64.so": "the games, for three levels of processors",
    "steer_env/machine_code/linux-aarch64.so": "the games, for one level",
}


def tracked():
    """The files that a code host has: those in git, which others on this disk are not."""
    command = ["git", "ls-files", "-z"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if run.returncode:
        pytest.skip("not a checkout of git")
    return {name for name in run.stdout.split("\0") if name}


@cache
def parts(text):
    """All parts of a page, also those within lines."""
    found = MarkdownIt("commonmark").enable("table").parse(text)
    return [part for one in found for part in (one, *(one.children or ()))]


def links(text):
    """The addresses of a page's links and pictures, also those of its HTML."""
    found = []
    for part in parts(text):
        found += [part.attrs[name] for name in ("href", "src") if name in part.attrs]
        if part.type in ("html_block", "html_inline"):
            found += re.findall(r'\b(?:href|src|srcset)="([^" ]+)', part.content)
    return [unquote(link) for link in found]


def anchors(text):
    """The names of a page's headings by GitHub's rule, and those that HTML gives."""
    found, times = set(), Counter()
    for heading, title in zip(parts(text), parts(text)[1:]):
        if heading.type == "heading_open":
            words = "".join(part.content for part in title.children if part.type != "image")
            slug = re.sub(r"[^\w\- ]", "", words.strip().lower()).replace(" ", "-")
            found.add(f"{slug}-{times[slug]}" if times[slug] else slug)
            times[slug] += 1
    html = (part.content for part in parts(text) if part.type.startswith("html"))
    return found | set(re.findall(r'\b(?:id|name)="([^"]+)"', "".join(html)))


def lost_links(pages, files):
    """The links of pages that lead nowhere; pages are texts by their paths."""
    folders = {parent.as_posix() for file in files for parent in Path(file).parents}
    lost = []
    for page, text in pages.items():
        for link in links(text):
            if re.match(r"[a-z]+:", link):
                continue
            address, _, name = link.partition("#")
            base = "" if address.startswith("/") else posixpath.dirname(page)
            target = posixpath.normpath(posixpath.join(base, address.lstrip("/")))
            target = target if address else page
            is_named = not name or (target in pages and name in anchors(pages[target]))
            if target not in files | folders or not is_named:
                lost.append((page, link))
    return lost


@pytest.fixture(scope="module")
def files():
    return tracked()


@pytest.fixture(scope="module")
def pages(files):
    found = sorted(name for name in files if name.endswith(".md"))
    return {name: (ROOT / name).read_text(encoding="utf-8") for name in found}


def test_every_link_and_picture_is_there_on_a_code_host(pages, files):
    assert {"README.md", "docs/game/index.md", "deploy/README.md"} <= pages.keys()
    assert sum(len(links(text)) for text in pages.values()) > 200
    assert not lost_links(pages, files)


def test_pages_have_no_markup_that_a_code_host_shows_as_it_stands(pages):
    # Boards that play in the browser, and the reference from docstrings, are the site's alone.
    fences = {one.info for text in pages.values() for one in parts(text) if one.tag == "code"}
    assert {name for name in fences if "{" in name} == {"{live}", "{eval-rst}"}
    assert not [name for name, text in pages.items() if re.search(r"(?<!`)\{[\w:]+\}`", text)]


def test_only_files_with_a_reason_are_large(files):
    assert {name for name in files if (ROOT / name).stat().st_size > MOST} == LARGE.keys()
