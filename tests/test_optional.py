"""Features that work with the packages of a fit alone, and hints for the others."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from resemblance.optional import EXTRAS

ROOT = Path(__file__).parents[1]
DISTRIBUTIONS = {
    "numba_cuda": "numba-cuda",
    "PIL": "pillow",
    "skimage": "scikit-image",
    "argon2": "argon2-cffi",
    "markdown_it": "markdown-it-py",
    "ot": "POT",
}
BARE = f"""
import json, sys
OPTIONAL = {sorted(EXTRAS)}

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in OPTIONAL:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Blocked())
"""
FIT = """
import numpy as np
from sklearn.model_selection import cross_val_score
import resemblance as rs

x = np.random.default_rng(0).normal(size=(12, 2))
index = np.array([[a, a - 1, a - 2] for a in range(12)] * 8) % 12
swapped = np.linalg.norm(x[index[:, 0]] - x[index[:, 1]], axis=1)
swapped = swapped > np.linalg.norm(x[index[:, 0]] - x[index[:, 2]], axis=1)
index[swapped] = index[swapped][:, [0, 2, 1]]
model = rs.STE(n_init=1, random_state=0).fit(index)
told = {"score": model.score(index), "predictions": len(model.predict(index))}

answers = rs.Triplets(index, observer=["ann"] * len(index))
rs.save(model, "fitted.model")
told["loaded"] = bool((rs.load("fitted.model").embedding_ == model.embedding_).all())
told["folds"] = len(cross_val_score(rs.STE(n_init=1, random_state=0), answers, cv=2))

crowd = rs.Crowd([rs.SpaceObserver(x, random_state=0)], ["ann"], random_state=0)
told["answered"] = len(crowd.answer(answers))
asked = rs.Session([*"abcde"], rs.UncertainQuestions(), model=rs.STE(n_init=1), start_per_head=1)
for _ in range(9):
    question = asked.ask()
    asked.tell(question, question.options[0])
told["asked"] = len(asked.answers)

lines = ["head,near,far,observer", *(f"{h},{n},{f},ann" for h, n, f in index)]
with open("answers.csv", "w") as file:
    print(*lines, sep="\\n", file=file)
read = rs.read_triplets("answers.csv")
told["read"] = rs.STE(n_init=1, random_state=0).fit(read).score(read)

def hint(work, *given):
    try:
        work(*given)
    except rs.errors.UnavailableError as error:
        return str(error)

told["hints"] = {
    "alignment": [hint(rs.unsupervised_alignment, x, x)],
    "plot": [hint(lambda: rs.plot_map(model.embedding_)), hint(lambda: rs.save_map)],
    "data": [hint(rs.datasets.fetch_faces)],
}
print(json.dumps(told))
"""


def run(code, folder, *, exits=0):
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    assert done.returncode == exits, done.stderr
    return done


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bare")
    return json.loads(run(BARE + FIT, folder).stdout)


def test_arrays_are_fitted_scored_saved_and_loaded(told):
    assert told["score"] > 0.9
    assert told["read"] == told["score"]
    assert told["predictions"] == 96
    assert told["loaded"]
    assert told["folds"] == 2


def test_people_answer_and_questions_are_chosen(told):
    assert (told["answered"], told["asked"]) == (96, 9)


def test_what_lacks_is_told_with_its_extra(told):
    for extra, hints in told["hints"].items():
        assert all(f'pip install "resemblance[{extra}]"' in hint for hint in hints)


def test_the_command_says_in_one_line_what_it_needs(tmp_path):
    done = run(BARE + "from resemblance.__main__ import main\nmain()", tmp_path, exits=1)
    assert done.stdout == ""
    assert re.fullmatch(r'.*typer: pip install "resemblance\[cli\]"\n', done.stderr)


@pytest.mark.parametrize("package", EXTRAS)
def test_the_extra_that_is_told_installs_the_package(package):
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
        "optional-dependencies"
    ]
    names = [re.split(r"[>\[;]", line)[0] for line in extras[EXTRAS[package]]]
    assert DISTRIBUTIONS.get(package, package) in names
