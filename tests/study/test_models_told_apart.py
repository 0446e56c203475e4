"""Studies that ask which of several models people follow."""

import numpy as np
import pytest

import resemblance as rs
from resemblance.errors import ResemblanceError
from resemblance.study.export import Export
from resemblance.study.quality import Quality
from resemblance.study.worker.session import followed
from small_study import SMALL, Hands, People, make_folder, open_study

N = 12
SECTIONS = f"""{SMALL}models = ["one.csv", "other.csv"]
[asking.shares]
controversial = 0.5
random = 0.5
"""


def write(path, *files, n=N):
    path.mkdir(exist_ok=True)
    for seed, name in enumerate(files):
        points = np.random.default_rng(seed).normal(size=(n, 3))
        rows = [f"i{k:04d},{x},{y},1" for k, (x, y, _) in enumerate(points)]
        (path / name).write_text("\n".join(["item,a,b,same for all", *rows]))


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


def test_a_study_looks_for_who_answers_as_its_machines_do(tmp_path):
    write(tmp_path / "dots", "net.csv")
    url = f"sqlite:///{tmp_path}/study.sqlite"
    rule = '[quality]\nmachines = ["net.csv"]\n[[quality.rules]]\nmeasure = "machine"\nabove = 4\n'
    live = open_study(tmp_path / "dots", url, sections=SMALL + rule, n_items=N)
    hands, people = Hands(live), People(live, 9)
    people.answer(20 * 9)
    hands.settle()
    told = hands.work.quality.figures["machine"]
    assert len(told) == 9
    again = Quality.of(live)  # another process reads what the worker told
    assert again.figures["machine"] == told
    value, n = again.measures("P0001")["machine"]
    assert value == again.row("P0001")["machine"] < 4
    assert 0 < n <= 20
    people_told = next(table for table in Export(live).tables() if table.name == "participants")
    assert {"machine"} <= set(people_told.columns) - {"by_program"}
    assert [row["machine"] for row in people_told.rows()] == [
        told[code][0] for code in sorted(told)
    ]
    again.recall({"machine": {"P0001": [7.5, 20]}}, live.record)
    assert [verdict.code for verdict in again.verdicts()] == ["P0001"]
    live.store.close()
