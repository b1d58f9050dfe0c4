"""Subject resolution."""
