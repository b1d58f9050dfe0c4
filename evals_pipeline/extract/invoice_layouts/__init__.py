"""What invoices look like: labels by language, shapes of values, and where a value stands."""
