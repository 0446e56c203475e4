"""Studies that ask which of several models people follow."""

import numpy as np
import pytest

import resemblance as rs
from resemblance.errors import ResemblanceError
from resemblance.study.worker.session import followed
from small_study import SMALL, Hands, People, make_folder, open_study

N = 12
SECTIONS = f"""{SMALL}models = ["one.csv", "other.csv"]
strategy = "controversial"
random_share = 0.5
"""


def write(path, *files, n=N):
    path.mkdir(exist_ok=True)
    for seed, name in enumerate(files):
        points = np.random.default_rng(seed).normal(size=(n, 3))
        rows = [f"i{k:04d},{x},{y},1" for k, (x, y, _) in enumerate(points)]
        (path / name).write_text("\n".join(["item,a,b,same for all", *rows]))


@pytest.mark.long
def test_a_study_asks_what_its_models_disagree_about(tmp_path):
    write(tmp_path / "dots", "one.csv", "other.csv")
    url = f"sqlite:///{tmp_path}/study.sqlite"
    live = open_study(tmp_path / "dots", url, sections=SECTIONS, n_items=N)
    hands, people = Hands(live), People(live, 3)
    for _ in range(4):
        people.answer(24)
        hands.settle()
    strategy = rs.ControversialQuestions(followed(live.folder, live.settings.asking.models))
    told = {"controversial": [], "random": []}
    session = hands.session
    for question in session.questions:
        if question.strategy in told:
            belief = session.belief()
            rows = np.array([question.row], np.int32)
            told[question.strategy].append(float(strategy.told(belief, rows)[0]))
    assert min(map(len, told.values())) > 5
    assert np.mean(told["controversial"]) > 1.5 * np.mean(told["random"])
    live.store.close()


@pytest.mark.parametrize("files", [["one.csv"], ["one.csv", "lost.csv"], ["one.csv", "few.csv"]])
def test_models_that_cannot_be_told_apart_are_refused(files, tmp_path):
    write(tmp_path / "dots", "one.csv")
    write(tmp_path / "dots", "few.csv", n=N - 1)
    named = ", ".join(f'"{name}"' for name in files)
    sections = SECTIONS.replace('"one.csv", "other.csv"', named)
    with pytest.raises(ResemblanceError, match=r"models|lost.csv|i0011"):
        make_folder(tmp_path / "dots", sections=sections, n_items=N)
