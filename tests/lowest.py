"""Print the lowest version of every package that pyproject.toml asks for, as constraints of pip."""

import re
import tomllib
from pathlib import Path

REQUIREMENT = re.compile(r"(?P<name>[A-Za-z0-9._-]+)(\[[^]]*\])?>=(?P<version>[0-9.]+)")
DEVELOPMENT = ("docs", "dev")  # extras that users of the package do not install


def lowest(pyproject: Path) -> dict[str, str]:
    """Return the lowest version of each required package by name."""
    project = tomllib.loads(pyproject.read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    groups = [extras[name] for name in extras if name not in DEVELOPMENT]
    lines = [line for group in [project["dependencies"], *groups] for line in group]
    found = [REQUIREMENT.match(line) for line in lines if not line.startswith("resemblance[")]
    return {match["name"]: match["version"] for match in found if match is not None}


if __name__ == "__main__":
    for name, version in lowest(Path(__file__).parents[1] / "pyproject.toml").items():
        print(f"{name}=={version}")
