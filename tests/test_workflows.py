"""Workflows pin each action, ask for few permissions, and publish what another job built."""

import re
from pathlib import Path

import pytest
import yaml

from hatch_build import SYSTEMS

FOLDER = Path(__file__).parent.parent / ".github" / "workflows"
WORKFLOWS = sorted(path.name for path in FOLDER.iterdir())


def read(name):
    return yaml.safe_load((FOLDER / name).read_text(encoding="utf-8"))


def can_write(job):
    """True if a job has a token that can change or publish something."""
    given = job.get("permissions", {})
    return bool({given} - {"read-all"}) if isinstance(given, str) else "write" in given.values()


def test_there_are_workflows_that_publish():
    jobs = {name: read(name)["jobs"] for name in WORKFLOWS}
    publishing = {name for name in jobs if any(map(can_write, jobs[name].values()))}
    assert publishing == {"docs.yml", "release.yml"}


def test_what_is_published_was_played_where_it_cannot_be_built():
    jobs = read("release.yml")["jobs"]
    assert set(jobs["publish"]["needs"]) == {"wheels", "play"}
    played = jobs["play"]["strategy"]["matrix"]["include"]
    tags = {one.tags for name, one in SYSTEMS.items() if not name.endswith(".so")}
    assert {one["wheel"] for one in played} == tags
    assert jobs["play"]["steps"][-1]["run"] == "python tests/by_hand/trajectories.py --compare"


def test_every_action_is_pinned_to_one_commit_with_its_version_beside_it():
    texts = [(FOLDER / name).read_text(encoding="utf-8") for name in WORKFLOWS]
    assert all(re.search(r"\buses: ", text) for text in texts)
    used = set(re.findall(r"\buses: *(.*)", "".join(texts)))
    pinned = re.compile(r"[\w-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")
    assert not [action for action in used if not pinned.fullmatch(action)]
    assert len(used) == len({action.partition("@")[0] for action in used})


@pytest.mark.parametrize("name", WORKFLOWS)
def test_a_workflow_may_read_and_a_checkout_keeps_no_credentials(name):
    workflow = read(name)
    assert workflow["permissions"] == {"contents": "read"}
    for job in workflow["jobs"].values():
        for step in job["steps"]:
            if step.get("uses", "").startswith("actions/checkout@"):
                assert step["with"]["persist-credentials"] is False


@pytest.mark.parametrize("name", WORKFLOWS)
def test_a_job_that_can_write_runs_no_code_of_the_checkout(name):
    for job in filter(can_write, read(name)["jobs"].values()):
        assert job["needs"]  # which has built and tested what it publishes
        assert not [step for step in job["steps"] if "run" in step]
        actions = [step["uses"].partition("@")[0] for step in job["steps"]]
        harmless = {"actions/download-artifact", "actions/deploy-pages"}
        assert set(actions) <= harmless | {"pypa/gh-action-pypi-publish"}
