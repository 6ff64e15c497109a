"""Lets the tests of all folders here import `short_trainings`."""
