"""Shared by the programs with a window: keys, help, real time, panels, and episodes."""
