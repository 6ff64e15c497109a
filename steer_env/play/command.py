"""To be written."""

from __future__ import annotations

import argparse

SUMMARY = "play"
DESCRIPTION = "play"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds the options."""


def run(options: argparse.Namespace) -> None:
    """Runs it."""
