"""Fits of stated confidence to observed correctness, and the reasons for which one is refused."""
