"""Settings of a study for export, without secrets."""

import tomllib
from collections.abc import Iterator
from typing import Any

from resemblance.study.settings_file import toml

Secrets = dict[str, tuple[str, ...]]
SECRETS: Secrets = {
    "server": ("database",),  # contains a password
    "recruitment": ("completion_code", "redirect"),  # the code may stand in the address
}
UNPUBLISHED: Secrets = {  # adds addresses, contacts and ids at recruiting services
    "": ("server",),
    "study": ("contact",),
    "recruitment": (*SECRETS["recruitment"], "study_ids", "exclude"),
}
HEADING = "# The settings of the study as it ran. Secrets are left out, and so are comments.\n"


def without_secrets(text: str, published: bool = False) -> str:
    r"""Write the settings of a ``study.toml`` without its secrets, and name what was left out.

    Parameters
    ----------
    text : str
        The file.
    published : bool
        Whether anybody may read it: then ``UNPUBLISHED`` is left out, too.

    Examples
    --------
    >>> print(without_secrets('[recruitment]\ncompletion_code = "C0DE"\npay = 2.5'))
    # The settings of the study as it ran. Secrets are left out, and so are comments.
    <BLANKLINE>
    [recruitment]
    # completion_code: left out of the export
    pay = 2.5
    """
    secrets = UNPUBLISHED if published else SECRETS
    return f"{HEADING}\n{written(tomllib.loads(text), secrets)}"


def written(settings: dict[str, Any], secrets: Secrets | None = None) -> str:
    """Write settings as TOML, but secrets.

    Examples
    --------
    >>> print(written({"quality": {"fast_ms": 300, "rules": [{"measure": "gold"}]}}), end="")
    [quality]
    fast_ms = 300
    [[quality.rules]]
    measure = "gold"
    """
    return "\n".join(_table((), settings, secrets or {})) + "\n"


def _table(name: tuple[str, ...], values: dict[str, Any], secrets: Secrets) -> Iterator[str]:
    """Yield the lines of a table, then those of the tables inside it."""
    secret = secrets.get(".".join(name), ())
    inner = {key: value for key, value in values.items() if _is_table(value) and key not in secret}
    yield from (f"# {key}: left out of the export" for key in values if key in secret)
    for key, value in values.items():
        if key not in secret and key not in inner:
            yield f"{_name(key)} = {toml(value)}"
    for key, value in inner.items():
        header = ".".join(map(_name, (*name, key)))
        for entry in value if isinstance(value, list) else [value]:
            yield f"[[{header}]]" if isinstance(value, list) else f"[{header}]"
            yield from _table((*name, key), entry, secrets)


def _is_table(value: Any) -> bool:
    several = isinstance(value, list) and value and all(isinstance(entry, dict) for entry in value)
    return isinstance(value, dict) or bool(several)


def _name(key: str) -> str:
    bare = key.isascii() and key.replace("_", "").replace("-", "").isalnum()
    return key if bare else toml(key)
