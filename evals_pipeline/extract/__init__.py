"""Extractors: the protocol, registry and routing, code extractors, prompts, predictions."""
