"""Records, outcomes, fingerprints, strict readers, registry, errors, settings."""
