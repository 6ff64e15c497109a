"""The faults that are put in by hand are still in the source."""

from faults import LIST, ROOT, found, read


def test_most_faults_of_the_list_can_be_found():
    listed = read(LIST)[::5]
    assert len(found(ROOT, listed)) >= 0.8 * len(listed), (
        "make the list again: PYTHONPATH=. python tests/by_hand/faults.py --write"
    )
