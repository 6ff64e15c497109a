"""The simulation of N games of pursuit and evasion at once."""
