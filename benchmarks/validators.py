"""Run external validators on the exports of a study of every kind of question.

    PYTHONPATH=tests python benchmarks/validators.py --programs BIN [--psychds CODE]

BIN is the folder of programs of an environment with frictionless and mlcroissant. CODE is an
optional copy of github.com/psych-ds/psychds-validator, which runs by deno (also in BIN) and
downloads its dependencies at the first run. The exit status is 1 if a validator refuses something.
"""

import argparse
import json
import subprocess
import sys
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from resemblance.study.export import write_archive
from resemblance.study.kinds import KINDS
from study.test_archive import DRAWN, begun, full, published

IMPORTS = {  # the imports in deno.json of psychds-validator, from npm alone
    "npm:commander": "npm:commander@9.4.0",
    "npm:chalk": "npm:chalk@5.0.1",
    "npm:cli-table3": "npm:cli-table3@0.6.3",
    "npm:jsonld": "npm:jsonld@8.3.2",
    "npm:csv-parse/sync": "npm:csv-parse@5.5.2/sync",
    "npm:csv-parse/browser/esm/sync": "npm:csv-parse@5.5.2/sync",
}
Told = tuple[bool, list[str]]  # whether it is accepted, and the codes of messages


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", required=True, type=Path, help="folder of the validators")
    parser.add_argument("--psychds", type=Path, help="a copy of its code")
    told = parser.parse_args()
    asked = Validators(told.programs.absolute(), told.psychds and told.psychds.absolute())
    refused = 0
    for name in ("full", *(kind for kind in KINDS if kind not in DRAWN)):
        with TemporaryDirectory() as home:
            folder = Path(home)
            live = full(folder) if name == "full" else begun(folder, kind=name)
            write_archive(published(live), folder / "out.zip")
            with zipfile.ZipFile(folder / "out.zip") as packed:
                packed.extractall(folder / "unpacked")
            [home] = (folder / "unpacked").iterdir()
            for ask in asked.all:
                accepted, said = ask(home)
                refused += not accepted
                counts = ", ".join(f"{code} {n}" for code, n in Counter(said).items())
                verdict = "accepted" if accepted else "REFUSED"
                print(f"{name}, {ask.__name__}: {verdict}; {counts or 'clean'}")
            live.store.close()
    return int(refused > 0)


class Validators:
    """The validators; each method checks one export."""

    def __init__(self, programs: Path, psychds: Path | None) -> None:
        self.programs, self.code = programs, psychds

    def run(self, program: str, *arguments: object) -> subprocess.CompletedProcess[str]:
        """Run a program, and again if it crashed: pyarrow aborts in one of 150 exits of Python."""
        command = [str(self.programs / program), *map(str, arguments)]
        for _ in range(3):
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode >= 0:
                break
        return done

    @property
    def all(self) -> list[Callable[[Path], Told]]:
        return [self.frictionless, self.croissant, *([self.psychds] if self.code else [])]

    def frictionless(self, home: Path) -> Told:
        package = home / "datapackage.json"
        found = json.loads(self.run("frictionless", "validate", "--json", package).stdout)
        errors = [*found["errors"], *(e for task in found["tasks"] for e in task["errors"])]
        warnings = [*found["warnings"], *(w for task in found["tasks"] for w in task["warnings"])]
        return found["valid"], [*(error["type"] for error in errors), *warnings]

    def croissant(self, home: Path) -> Told:
        card = home / "croissant.json"
        asked = self.run("mlcroissant", "validate", "--jsonld", card)
        said = [line for line in asked.stderr.splitlines() if line.startswith("  -")]
        names = [one["name"] for one in json.loads(card.read_text())["recordSet"]]
        unread = [f"{name} unread: {error}" for name in names if (error := self.unread(card, name))]
        return asked.returncode == 0 and not unread, said + unread

    def unread(self, card: Path, name: str) -> str:
        """Return the error of mlcroissant in loading a record set, or ""."""
        read = self.run("mlcroissant", "load", "--jsonld", card, "--record_set", name)
        return f"exit {read.returncode}, {read.stderr[-2000:]}" if read.returncode else ""

    def psychds(self, home: Path) -> Told:
        (names := home.parent / "imports.json").write_text(json.dumps({"imports": IMPORTS}))
        options = ("--quiet", "-A", "--no-check", "--no-config", f"--import-map={names}")
        assert self.code is not None
        program = self.code / "src" / "psychds-validator.ts"
        found = list(lines(self.run("deno", "run", *options, program, "--json", home).stdout))
        return found[-1]["valid"], [f"{i['severity']} {i['key']}" for i in found[-1]["issues"]]


def lines(output: str) -> Iterator[dict]:
    yield from (json.loads(line) for line in output.splitlines() if line.startswith("{"))


if __name__ == "__main__":
    sys.exit(main())
