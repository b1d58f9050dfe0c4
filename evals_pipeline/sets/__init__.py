"""Schemas and loaders of suites and golden sets; ingestion, redaction and labelling."""
