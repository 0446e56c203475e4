"""Ask whether what a release brings along has known vulnerabilities.

    python .ci/audit.py PYTHON-LIBRARIES

PYTHON-LIBRARIES is the folder that the wheel was installed into; of the pages it is what is built
into them. The status is 0 where nothing is known, 1 where something is, and 2 where a service could
not be asked: then nothing was audited, whatever the tool says.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

PAGES = Path(__file__).parents[1] / "frontend"
CLEAN, FOUND, NOT_ASKED = 0, 1, 2
OWN = "resemblance"  # is on no index before it goes out


def judged_python(told: dict[str, Any]) -> tuple[int, str]:
    """Judge what pip-audit told: what it skipped was not audited, though it calls that a pass."""
    asked = [one for one in told.get("dependencies", []) if one["name"] != OWN]
    bad = [one["name"] for one in asked if one.get("vulns")]
    skipped = [one["name"] for one in asked if "vulns" not in one]
    if bad:
        return FOUND, f"known vulnerabilities in {', '.join(bad)}: pip-audit says which"
    if skipped or not asked:
        return NOT_ASKED, f"NOT AUDITED: {', '.join(skipped) or 'anything'}"
    return CLEAN, f"{len(asked)} packages, no known vulnerability"


def judged_pages(told: dict[str, Any]) -> tuple[int, str]:
    """Judge what npm audit told."""
    if "vulnerabilities" not in told:
        return NOT_ASKED, f"NOT AUDITED: {told.get('message', 'no answer').partition(' - ')[0]}"
    if told["vulnerabilities"]:
        return FOUND, f"known vulnerabilities in {', '.join(told['vulnerabilities'])}"
    return CLEAN, "no known vulnerability"


def said_by(*command: object, folder: Path | None = None) -> dict[str, Any]:
    """Run a tool, and read the JSON that it prints; empty where it prints none."""
    run = subprocess.run([*map(str, command)], cwd=folder, capture_output=True, text=True)
    try:
        told: dict[str, Any] = json.loads(run.stdout)
    except ValueError:
        return {}
    return told


if __name__ == "__main__":
    quietly = ("-f", "json", "--progress-spinner", "off")
    python = said_by(sys.executable, "-m", "pip_audit", "--path", sys.argv[1], *quietly)
    pages = said_by("npm", "audit", "--omit=dev", "--package-lock-only", "--json", folder=PAGES)
    verdicts = {"Python": judged_python(python), "pages": judged_pages(pages)}
    for what, (_, words) in verdicts.items():
        print(f"{what}: {words}")
    statuses = {status for status, _ in verdicts.values()}
    sys.exit(FOUND if FOUND in statuses else max(statuses))
