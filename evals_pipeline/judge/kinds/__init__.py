"""Canonical forms, one value kind a file."""
