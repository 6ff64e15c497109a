"""The games' machine code: what marks functions for it, its builder, libraries and loader."""
