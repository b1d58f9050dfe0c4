"""The Dagster shell."""
