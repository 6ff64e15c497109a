"""The phases of a step, and the arrays that they work on."""
