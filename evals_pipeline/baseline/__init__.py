"""Baselines: record, compare, gate, acknowledgements."""
