"""What CHANGELOG.md says of the version that a tag names: python .ci/notes.py v0.1.0."""

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def sections(changelog: str) -> dict[str, str]:
    """Give the text of each version by its heading, as "0.1.0 (unreleased)", newest first."""
    parts = re.split(r"^## (.+)\n", changelog, flags=re.M)[1:]
    return {head: text.strip() for head, text in zip(parts[::2], parts[1::2], strict=True)}


def notes(tag: str, version: str, changelog: str) -> str:
    """Give the section of a tag; it ends the program where the tag may not go out."""
    if tag != f"v{version}":
        sys.exit(f"the tag is {tag}, but pyproject.toml says {version}: tag v{version}.")
    for head, text in sections(changelog).items():
        if re.fullmatch(rf"{re.escape(version)} \(\d{{4}}-\d\d-\d\d\)", head) and text:
            return text
    sys.exit(f'CHANGELOG.md has no section "{version} (year-month-day)": write the date there.')


if __name__ == "__main__":
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    print(notes(sys.argv[1], project["version"], changelog))
