"""Answers to gold questions are left out of fits, and told: by `fit` as by the desk of a study."""

import json
from itertools import permutations

import numpy as np
import pytest

import resemblance as rs
from resemblance.analysis.exclusions import without_gold
from resemblance.study.export import Export, write_export
from small_study import Hands, People, open_study

RNG = np.random.default_rng(0)
ASKED = np.array([RNG.choice(8, 3, replace=False) for _ in range(200)])
TRIPLETS = rs.SpaceObserver(2 * RNG.normal(size=(8, 2)), random_state=0).answer(
    rs.Triplets(ASKED, 8)
)
GOLD = np.arange(200) % 5 == 0
MODEL = rs.STE(2, penalty=0.1, random_state=0)
STUDY = np.where(GOLD, "gold", np.where(np.arange(200) % 3, "random", "predictive"))


def chosen(names):
    return TRIPLETS.with_extra("strategy", names)


def test_gold_is_left_out_told_and_kept_if_asked_for():
    analysis = rs.analyse(chosen(STUDY), MODEL, folds=3)
    assert analysis.gold == analysis.as_dict()["data"]["gold"] == 40
    assert "gold questions" in dict(analysis.lines())
    plain = rs.analyse(chosen(STUDY)[~GOLD], MODEL, folds=3)
    np.testing.assert_array_equal(analysis.model.embedding_, plain.model.embedding_)
    assert analysis.held_out == plain.held_out
    kept = rs.analyse(chosen(STUDY), MODEL, folds=3, keep_gold=True)
    assert (kept.gold, len(kept.judgments)) == (0, 200)
    evaluated = rs.evaluate(MODEL, chosen(STUDY), cv=3)
    assert (evaluated.gold, len(evaluated.judgments)) == (40, 160)
    before = rs.STE(2, penalty=0.1, random_state=0).fit(TRIPLETS[:50])
    assert rs.evaluate(before, chosen(STUDY)[50:]).gold == 30


@pytest.mark.parametrize(
    "names",
    [
        np.where(GOLD, "gold", "silver"),  # somebody else's column
        np.full(200, "gold"),  # nothing would be left
        np.full(200, "random"),
    ],
)
def test_what_is_not_gold_of_a_study_stays(names):
    answers, left_out = without_gold(chosen(names))
    assert (len(answers), left_out) == (200, 0)


def test_parts_and_other_kinds_leave_gold_out():
    condition = np.where(np.arange(200) % 2, "a", "b")
    parts = rs.analyse_parts(chosen(STUDY).with_extra("condition", condition), "condition", "ste")
    assert sum(part.gold for part in parts.parts.values()) == 40
    pairs = TRIPLETS.index[:, :2]
    ratings = rs.Ratings(pairs, RNG.integers(1, 6, 200), 5, 8, extra={"strategy": STUDY})
    assert without_gold(ratings)[1] == 40


def test_catch_trials_stay_beside_it():
    rows = rs.Triplets.split_catches(np.vstack([TRIPLETS.index, [[1, 1, 2]]]), 8)
    answers, left_out = without_gold(rows.with_extra("strategy", STUDY))
    assert left_out == 40
    assert len(answers.catches) == 1


def test_the_desk_and_fit_have_the_same_answers(tmp_path):
    """A study whose gold is its own: the export holds it as judgments."""
    folder = tmp_path / "dots"
    folder.mkdir()
    lines = [",".join(f"i{k:04d}" for k in row) for row in permutations(range(4), 3)]
    (folder / "gold.csv").write_text("\n".join(["head,right,wrong", *lines[::2]]) + "\n")
    tasks = 'per_participant = 2\ntask_size = 60\npractice = 1\ngold_share = 0.3\ngold = "gold.csv"'
    asking = 'strategy = "random"\nmodel = "ste"\nstart_per_head = 3\nheld_out = 0.2'
    sections = f"[tasks]\n{tasks}\n[asking]\n{asking}"
    live = open_study(folder, f"sqlite:///{tmp_path}/dots.sqlite", sections=sections, n_items=8)
    hands, people = Hands(live), People(live, 4, sharp=4)
    hands.begin()
    people.answer(300)
    hands.settle()
    scores = live.store.spaces.latest(live.record).scores
    write_export(Export(live), tmp_path / "export")
    exported = rs.read_triplets(tmp_path / "export" / "triplets.csv")
    main = hands.session.judgments("all")
    analysis = rs.analyse(exported, MODEL, folds=3)
    assert analysis.gold > 50
    assert analysis.gold + len(analysis.judgments) == len(exported)
    assert len(analysis.judgments) == len(main) == scores["fitted"] + scores["held_out"]
    names, places = analysis.judgments.items.names, main.items.names
    fitted = np.array(names)[analysis.judgments.index]
    np.testing.assert_array_equal(fitted, np.array(places)[main.index])
    hands.work.close()
    live.store.close()


def test_fit_tells_it_and_keeps_it_if_asked(tmp_path, monkeypatch):
    from typer.testing import CliRunner

    from resemblance.cli import app

    monkeypatch.chdir(tmp_path)
    chosen(STUDY).write("answers.csv")
    options = "--model", "ste", "--penalty", "0.1", "--folds", "0"
    for more, left_out in ((), 40), (("--keep-gold",), 0):
        run = CliRunner().invoke(app, ["fit", "answers.csv", *options, *more])
        assert run.exit_code == 0, run.output
        report = json.loads((tmp_path / "answers-map" / "report.json").read_text())
        assert (report["data"]["gold"], report["data"]["rows"]) == (left_out, 200 - left_out)
        assert ("gold questions" in run.output) == bool(left_out)
