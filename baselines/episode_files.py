"""Files of episodes: arrays and JSON for numpy, of which nothing is executed, or a line each.

The first format is that of one pair of players and holds their records alone. The second has
whole rows, for several pairs or runs and for solved games.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.recfunctions import repack_fields

from steer_env.baselines.episodes import Episodes
from steer_env.baselines.measures import EPISODE, NAMED, ROW, fields_of_game, game_of_fields
from steer_env.baselines.tables import write_csv
from steer_env.errors import InvalidValue, check_choice, check_path
from steer_env.players.archive import json_in, read_archive, refusing_damage, write_archive

FORMATS = {"steer_env evaluation 1": EPISODE, "steer_env episodes 2": ROW}
MAX_BYTES = 512 * 2**20  # of a file's arrays: 7 million episodes of one pair
MAX_RATIO = 20.0  # of the episodes' size over their compressed size; 6 if no vehicle moves
_MAX_ABOUT = 2**16  # letters


def write_episodes(found: Episodes, path: str | Path) -> None:
    """Writes episodes to an .npz or a .csv file, see `Episodes.save`."""
    path = check_path("path", path)
    check_choice("ending of the file", path.suffix, (".npz", ".csv"))
    is_pair = len(found) == len(found.seeds) and np.isnan(found["value"]).all()
    form, dtype = [*FORMATS.items()][0 if is_pair else 1]
    columns = dtype.names or ()
    rows = repack_fields(found.episodes[[*columns]])
    if path.suffix == ".csv":
        names = [found.names(column) if column in NAMED else () for column in columns]
        lines = (
            [known[x] if known else x for x, known in zip(row.item(), names)] for row in rows
        )
        write_csv(path, columns, lines)
        return
    named: dict[str, Any] = {side: found.names(side)[0] for side in NAMED[:2]}
    if not is_pair:
        named = {f"{column}s": found.names(column) for column in NAMED}
    about = {"format": form, "version": found.version, **named}
    about["config"] = fields_of_game(found.config)
    arrays = {"episodes": rows, "about": np.array(json.dumps(about))}
    write_archive(path, arrays, MAX_BYTES, compressed=True)


def read_episodes(path: str | Path) -> Episodes:
    """Reads an .npz of either format, see `Episodes.load`."""
    path = check_path("path", path)
    with refusing_damage(path, "a file of episodes that Episodes.save wrote"):
        dtypes = (*FORMATS.values(),)
        found = read_archive(path, MAX_BYTES, 2, dtypes=dtypes, max_ratio=MAX_RATIO)
        if found["about"].nbytes > 4 * _MAX_ABOUT:
            raise InvalidValue(f"about must be a string of at most {_MAX_ABOUT:,} letters")
        rows, about = found["episodes"], json_in(found, "about")
        if FORMATS.get(about["format"]) != rows.dtype or rows.ndim != 1 or not len(rows):
            raise InvalidValue(
                f"its format is {about['format']!r}, with {rows.ndim} axes of {rows.dtype}"
            )
        if not all(np.isfinite(rows[name]).all() for name in EPISODE.names or ()):
            raise InvalidValue("some of its numbers are nan or infinite")
        named: dict[str, Any]
        if rows.dtype == EPISODE:
            named = {f"{side}s": (str(about[side]),) for side in NAMED[:2]}
        else:
            named = {f"{column}s": (*map(str, about[f"{column}s"]),) for column in NAMED}
            for column in NAMED:
                if rows[column].max() >= max(len(named[f"{column}s"]), 1):
                    raise InvalidValue(f"some of its episodes are of an unknown {column}")
        config, version = game_of_fields(about["config"]), str(about["version"])
        return Episodes(**named, config=config, episodes=rows, version=version)
