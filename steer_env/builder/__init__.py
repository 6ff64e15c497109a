"""Builds the machine code that the package ships."""
