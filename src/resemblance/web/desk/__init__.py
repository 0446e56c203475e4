"""The researcher's desk, drawn from templates that escape their values."""
