"""Parquet per table and partition, put in place atomically, read through DuckDB."""
