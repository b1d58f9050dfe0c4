"""Figures of claims and of fields, calibration error, intervals."""
