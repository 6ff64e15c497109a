"""Both sides learn in turn, each against all that the other has been so far."""
