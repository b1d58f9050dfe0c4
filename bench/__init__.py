"""Measurements of speed and memory, for make bench; never part of the tests."""
