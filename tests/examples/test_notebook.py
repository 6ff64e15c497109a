"""The notebook is stored with what its cells print and show."""

from __future__ import annotations

import json
import re

import clients

NOTEBOOK = clients.EXAMPLES / "start.ipynb"


def test_the_notebook_has_its_outputs():
    cells = [x for x in json.loads(NOTEBOOK.read_text())["cells"] if x["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in cells] == [*range(1, 6)]
    shown = [len(cell["outputs"]) for cell in cells]
    assert shown == [0, 1, 0, 1, 1]
    assert "learned minus pursuit" in "".join(cells[3]["outputs"][0]["text"])
    assert "data:image/gif" in "".join(cells[4]["outputs"][0]["data"]["text/html"])
    assert NOTEBOOK.stat().st_size < 300_000
    assert not re.search(r"/(home|tmp|root|work|Users)/", NOTEBOOK.read_text())
