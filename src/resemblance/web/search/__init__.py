"""The search page, and a fitted space by program: one model behind pages and a JSON API."""
