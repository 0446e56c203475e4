"""The study server: questions to people on the web, and their answers kept.

A web process is light: nothing here imports the science, except the worker, which does so late.
"""

from importlib.util import find_spec

from resemblance.errors import UnavailableError

for _package in ("fastapi", "uvicorn", "pydantic", "argon2", "jinja2", "markdown_it"):
    if find_spec(_package) is None:
        raise UnavailableError(f'a study server needs {_package}: pip install "resemblance[web]"')
