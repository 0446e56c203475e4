"""The study server: studies over HTTP, the researcher's desk, and the search page."""

from resemblance.optional import need_packages

need_packages("a study needs", "fastapi", "uvicorn", "argon2", "jinja2")
