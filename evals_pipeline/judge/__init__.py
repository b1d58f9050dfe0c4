"""Judges: embeddings, assignment, guards, the LLM judge, field comparison."""
