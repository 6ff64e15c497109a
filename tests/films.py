"""Reads videos; imageio's readers leave pipes open, which is an error in tests."""

import re
import subprocess

import numpy as np


def read_video(path):
    """Its frames, (frames, height, width, 3), and what ffmpeg says about it."""
    from imageio_ffmpeg import get_ffmpeg_exe

    command = [get_ffmpeg_exe(), "-i", str(path), "-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
    done = subprocess.run(command, capture_output=True, check=True)
    about = done.stderr.decode()
    stream = next(line for line in about.splitlines() if "Video:" in line)
    width, height = map(int, re.search(r", (\d+)x(\d+)", stream).groups())
    hours, minutes, seconds = re.search(r"Duration: (\d+):(\d+):([\d.]+)", about).groups()
    rate = re.search(r"([\d.]+) fps", stream)
    facts = {
        "codec": re.search(r"Video: (\w+)", stream)[1],
        "pixels": re.search(r"yuv\w+\([^)]*\)", stream)[0],
        "fps": float(rate[1]) if rate else None,  # pictures may come at any times
        "seconds": 3600 * int(hours) + 60 * int(minutes) + float(seconds),
    }
    return np.frombuffer(done.stdout, np.uint8).reshape(-1, height, width, 3), facts
