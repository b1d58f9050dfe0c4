"""The only place that composes stages: from fixtures to gate, over one project."""
