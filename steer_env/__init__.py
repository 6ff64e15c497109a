"""Pursuit and evasion as Gymnasium environments.

Importing the package registers the environments and does nothing more: numba, pygame
and torch are imported when they are first needed.
"""

__version__ = "0.1.0"
