"""Calibration fits and their refusals."""
