"""The search page and the JSON API of a fitted space."""
