"""One command a module; each is a thin shell over the pipeline."""
