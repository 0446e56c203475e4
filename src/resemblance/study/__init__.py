"""A study: its settings, questions, participants, answers and worker, below any web framework.

What a web process imports from here loads no science; the worker does so late.
"""

from importlib.util import find_spec

from resemblance.errors import UnavailableError


def require(*packages: str) -> None:
    """Refuse to go on without packages that only studies need.

    Raises
    ------
    UnavailableError
        If one is not installed.
    """
    for package in packages:
        if find_spec(package) is None:
            raise UnavailableError(f'a study needs {package}: pip install "resemblance[web]"')


require("pydantic", "sqlalchemy", "markdown_it")
