"""Errors of files and options come before anything heavy is loaded."""

import json
import subprocess
import sys

ANSWERS = "head,near,far\n1,2,3\n2,3,1\n3,1,2\n"
CASES = {
    "fit none.csv": "none.csv is not there",
    "fit a.xls": "'.xls'",
    "fit a.csv --items none.csv": "none.csv is not there",
    "fit a.csv --clicks none.jsonl": "none.jsonl is not there",
    "fit a.csv --model tste --alpha -1": "--alpha is -1",
    "fit a.csv --model ckl --mu 0": "--mu is 0",
    "fit a.csv --model tste --mu 1": "--mu does not apply to tste",
    "fit a.csv --model tste --penalty -1": "--penalty is -1",
    "fit a.csv --folds 1": "--folds is 1",
    "fit a.csv --dims auto --folds 0": "2 folds or more",
    "fit a.csv --neighbours a.xls": "'.xls'",
    "fit a.csv --rdm a.xls": "'.xls'",
    "fit a.csv --rdm a.pkl": "HDF5",
    "fit a.csv --picture a.gif": "--picture",
    "fit a.csv --picture a": ".pdf, .svg or .png",
    "fit a.csv --picture none/a.pdf": "no folder none",
    **{
        f"{command} --size 30mm": "--size"
        for command in ("fit a.csv", "compare a.csv --by side", "templates a.csv")
    },
    "compare-rdms none.csv a.csv": "none.csv is not there",
    "compare-rdms a.csv a.xls": "'.xls'",
    "compare-rdms a.csv a.csv --out a.xls": "'.xls'",
    "fit a.csv --model yada --kernel rbf": "--kernel needs features",
    "fit a.csv --model yada --features none.csv": "none.csv is not there",
    "fit a.csv --model yada --features a.csv --lapse 1": "--lapse is 1",
    "fit a.csv --model poe --features a.csv --beta 0": "--beta is 0",
    "score none a.csv": "report.json is not there",
    "score fitted none.csv": "none.csv is not there",
    "compare none.csv --by side": "none.csv is not there",
    "compare a.csv --by side --people none.csv": "none.csv is not there",
    "compare a.csv --by side --kind ratings": "ratings",
    "clean none.csv": "none.csv is not there",
    "clean a.csv --kind choices": "resemblance convert",
    "clean a.csv --out a.csv": "is not overwritten",
    "clean a.csv --picture a.gif": "a picture is written as",
    "templates none.csv": "none.csv is not there",
    "templates a.csv --images none": "none is not there",
    "convert none.csv b.csv": "none.csv is not there",
    "convert a.csv b.xls": "'.xls'",
    "convert a.csv b.npy --to cblearn": "'.npy'",
    "convert a.csv b.csv --stimuli none.txt": "--stimuli does not apply",
    "convert a.csv b.csv --from ranks --on-error skip": "leave --on-error out",
    "simulate b.xls": "'.xls'",
    "simulate b.csv --space none.csv": "none.csv is not there",
    "simulate b.csv --space a.csv --items 4": "leave out --items",
    "plan --seed 1": "number of items is missing",
    "plan --pilot none.csv": "none.csv is not there",
    "plan --pilot a.csv --items 3": "the pilot replaces --items",
    "design none": "--grid",
    "design none --grid 5x5": "none is not there",
    "search none.npz --images .": "none.npz is not there",
    "search a.csv --images none": "none is not there",
    "search a.csv --images . --clicks a.csv": "a.jsonl",
    "search a.csv --images . --origin here": "not an origin",
    "new study": "--images, --items or --draw",
    "new study --images none": "none is not a folder",
    "check none": "check the path",
    "serve none": "check the path",
    "export none": "check the path",
    "erase none P0001": "check the path",
    "recruit none": "check the path",
    "add-items none": "--images or --items",
    "add-items none --images .": "check the path",
}
HEAVY = {"numba", "scipy", "sklearn", "pandas", "matplotlib", "fastapi"}
RUN_ALL = f"""
import functools, json, sys
import typer.testing
from typer.testing import CliRunner
from resemblance.cli import app

typer.testing._get_command = functools.cache(typer.testing._get_command)  # 30 ms each
told = {{}}
for line in json.load(sys.stdin):
    result = CliRunner().invoke(app, line.split())
    told[line] = result.exit_code, result.stderr, sorted({HEAVY} & set(sys.modules))
print(json.dumps(told))
"""


def test_an_error_comes_before_heavy_imports(tmp_path):
    """All commands run in one new process, in which what one of them loads would stay."""
    for name in ("a.csv", "a.xls"):
        (tmp_path / name).write_text(ANSWERS)
    (tmp_path / "fitted").mkdir()
    report = {"settings": {"kind": "triplets"}, "model": {}}
    (tmp_path / "fitted" / "report.json").write_text(json.dumps(report))
    command, lines = [sys.executable, "-c", RUN_ALL], json.dumps(list(CASES))
    told = json.loads(subprocess.check_output(command, input=lines, text=True, cwd=tmp_path))
    wrong = {
        line: told[line]
        for line, words in CASES.items()
        if told[line][0] != 1 or words not in told[line][1] or told[line][2]
    }
    assert not wrong
