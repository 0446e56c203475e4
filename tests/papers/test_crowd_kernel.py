"""The scripts of papers/crowd-kernel, on worlds small enough for a test."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import LeaveOneOut, cross_val_score
from sklearn.svm import SVC

import resemblance as rs
from scripts import scripts


@pytest.fixture(scope="module")
def crowd():
    """The scripts as modules; nothing of them stays importable afterwards."""
    with scripts("papers/crowd-kernel") as modules:
        yield modules


def test_two_people_of_a_mixed_world_agree_as_often_as_in_the_paper(crowd):
    X, choice = crowd.twenty.mixed_world(0)
    assert X.shape == (225, 3)
    rng = np.random.default_rng(1)
    asked = np.array([rng.choice(225, 3, replace=False) for _ in range(4000)])
    one, other = (rs.SpaceObserver(X, choice, random_state=s).answer(asked).index for s in (1, 2))
    assert 0.63 < (one[:, 1] == other[:, 1]).mean() < 0.70


def test_twenty_questions_quick(crowd, tmp_path):
    crowd.twenty.main(["--quick", "--out", str(tmp_path), "--strategies", "random", "adaptive"])
    table = pd.read_csv(tmp_path / "quick" / "twenty.csv")
    assert len(table) == 4
    assert (tmp_path / "quick" / "twenty.png").exists()


def test_studies_for_search_quick(crowd, tmp_path):
    studies = ["--studies", "defaults", "search", "--people", "softmax"]
    crowd.search_study.main(["--quick", "--out", str(tmp_path), *studies])
    table = pd.read_csv(tmp_path / "quick" / "search_study_softmax.csv")
    assert len(table) == 4
    assert table.notna().all(axis=None)


def test_a_search_that_learns_quick(crowd, tmp_path):
    crowd.learning_search.main(["--quick", "--out", str(tmp_path)])
    table = pd.read_csv(tmp_path / "quick" / "learning_search.csv")
    assert len(table) == 2 * (crowd.learning_search.DAYS + 1)


def test_a_replay_asks_each_answer_once(crowd):
    """Of ten items' answers by a known crowd, each is drawn at most as often as it was given."""
    space = 2 * np.random.default_rng(0).normal(size=(30, 2))
    rng = np.random.default_rng(1)
    asked = np.array([rng.choice(30, 3, replace=False) for _ in range(1200)])
    answers = rs.SpaceObserver(space, random_state=0).answer(asked).index
    curve = crowd.replay.replay(answers[:900], answers[900:], "adaptive", 0, 300)
    assert [point[0] for point in curve] == [*crowd.replay.EARLY, 200, 300]
    assert curve[-1][1] < 0.45


def test_answers_needed_and_savings(crowd):
    counts = np.array([1000, 1800, 3000])
    assert crowd.replay.answers_needed(counts, np.array([0.3, 0.2, 0.1]), 0.25) == 1400
    assert crowd.replay.answers_needed(counts, np.array([0.3, 0.2, 0.1]), 0.05) == np.inf
    rows = [
        (name, seed, int(m), e)
        for seed in range(3)
        for name, errors in (("random", (0.3, 0.2, 0.1)), ("adaptive", (0.2, 0.1, 0.05)))
        for m, e in zip(counts, errors, strict=True)
    ]
    curves = pd.DataFrame(rows, columns=["strategy", "seed", "answers", "error"])
    found = crowd.replay.savings(curves, np.random.default_rng(0), 100)
    assert found["1800"]["share"] == pytest.approx(1000 / 1800)
    assert found["3000"]["share"] == pytest.approx(1800 / 3000)


@pytest.fixture
def eggs(crowd, tmp_path, monkeypatch):
    """Thirty items on a line with pictures, instead of the eggs, whose answers are not shipped."""
    line = np.linspace(-3, 3, 30)
    images = [tmp_path / f"{item}.png" for item in range(30)]
    for path, x in zip(images, line, strict=True):
        plt.imsave(path, np.full((4, 4), x), cmap="gray", vmin=-3, vmax=3)
    rng = np.random.default_rng(0)
    asked = np.array([rng.choice(30, 3, replace=False) for _ in range(2000)])
    questions = rs.Triplets(asked, rs.Items(30, images=images))
    answers = rs.SpaceObserver(line[:, None], random_state=0).answer(questions)
    monkeypatch.setattr(crowd.crowds, "eggs", lambda data, cache: (answers, line))
    return answers


def test_chosen_pairs_quick(crowd, eggs, tmp_path):
    crowd.pairs.main(["--quick", "--data", "none", "--out", str(tmp_path)])
    for name, n_items in (("digits", 30), ("eggs", 30)):
        table = pd.read_csv(tmp_path / "quick" / f"pairs-{name}.csv")
        assert len(table) == len(crowd.crowds.STRATEGIES) * crowd.pairs.ROUNDS * n_items
        assert (table["nearer"] <= table["further"]).all()
        assert table[["nearer", "further"]].stack().between(0, 1).all()
        assert (tmp_path / "quick" / f"pairs-{name}.png").exists()


def test_neighbours_and_maps_quick(crowd, eggs, tmp_path, capsys):
    crowd.pictures.main(["--quick", "--data", "none", "--out", str(tmp_path)])
    for name in ("digits", "eggs"):
        assert len(pd.read_csv(tmp_path / "quick" / f"map-{name}.csv")) == 30
        assert (tmp_path / "quick" / f"neighbours-{name}.png").exists()
        assert (tmp_path / "quick" / f"map-{name}.png").exists()
    said = dict(line.rsplit(maxsplit=1) for line in capsys.readouterr().out.splitlines())
    assert float(said["its rank correlation with smoothness"]) > 0.95


def test_leave_one_out_is_that_of_every_item(crowd):
    rng = np.random.default_rng(0)
    for shift, n_classes in ((0.0, 2), (1.0, 2), (1.5, 3), (8.0, 2)):
        label = np.arange(36) % n_classes
        X = rng.normal(size=(36, 3)) + shift * label[:, None]
        X -= X.mean(axis=0)
        K = X @ X.T
        svm = SVC(kernel="precomputed")
        right = cross_val_score(svm, K / np.diag(K).mean(), label, cv=LeaveOneOut())
        error = crowd.svm.leave_one_out_error(5 * K, label)
        assert error == pytest.approx(1 - right.mean())
    assert error == 0  # of classes far apart


def test_svm_quick(crowd, eggs, tmp_path):
    crowd.svm.main(["--quick", "--data", "none", "--out", str(tmp_path)])
    table = pd.read_csv(tmp_path / "quick" / "svm.csv")
    assert table["error"].between(0, 1).all()
    assert set(table["items"]) == {"digits", "eggs"}
    assert (tmp_path / "quick" / "svm.png").exists()


def test_plan_quick(crowd, tmp_path, monkeypatch):
    monkeypatch.setattr(crowd.plan, "N_ITEMS", 15)
    crowd.plan.main(["--quick", "--out", str(tmp_path)])
    table = pd.read_csv(tmp_path / "quick" / "plan.csv")
    assert table["lapse found"].between(0, 0.3).all()
    assert (table["above"] > 0).all()
    assert table["ceiling foretold"].iloc[0] == pytest.approx(table["ceiling"].iloc[0], abs=0.1)


def test_a_quick_run_of_one_script_stays_in_a_folder_of_its_own(crowd, tmp_path):
    arguments = ["--data", "none", "--out", str(tmp_path), "--quick", "--only", "theorem1"]
    crowd.run.main(arguments)
    assert [path.name for path in tmp_path.iterdir()] == ["quick"]
    assert list((tmp_path / "quick").iterdir())
