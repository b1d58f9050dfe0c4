"""Masking: what identifies people leaves a document before it enters the repository."""
