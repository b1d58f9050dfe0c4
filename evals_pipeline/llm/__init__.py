"""The model door: calls to OpenAI-compatible endpoints, paid once, recorded for ever."""
