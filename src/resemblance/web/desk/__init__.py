"""The researcher's desk: pages from templates that escape all values."""
