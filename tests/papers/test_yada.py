"""The scripts of papers/yada, on fixed settings and small grids."""

from functools import partial

import numpy as np
import pandas as pd
import pytest

import resemblance as rs
from scripts import scripts

SETTINGS = {  # bandwidth, penalty
    "1D-RBF": (0.7, 0.1),
    "1D-cos": (0.25, 1e-4),
    "1D-exp": (4.0, 1e-6),
    "2D-RBF": (2.0, 1e-5),
    "2D-tanh": (1.0, 1e-3),
    "2D-poly": (8.0, 1e-4),
}


@pytest.fixture(scope="module")
def yada():
    """The scripts as modules; nothing of them stays importable afterwards."""
    with scripts("papers/yada") as modules:
        yield modules


@pytest.fixture(scope="module")
def worlds(yada):
    return {world.name: world for world in (*yada.worlds.synthetic(), *yada.worlds.human())}


@pytest.fixture(scope="module")
def quick(yada, tmp_path_factory):
    """The folder of a quick run of everything, without data."""
    out = tmp_path_factory.mktemp("yada")
    with pytest.MonkeyPatch.context() as patch:  # its descents take most of the time
        patch.setattr(yada.tables, "QUICK_WORLDS", ("1D-exp",))
        patch.setattr(rs, "NonmetricMDS", partial(rs.NonmetricMDS, n_init=1, tol=1e-3))
        yada.run.main(["--out", str(out), "--quick", "--only", "tables", "figures"])
    return out / "quick"


def test_worlds_have_the_items_and_pairs_of_the_paper(worlds):
    sizes = {name: (w.draw(0).n_items, len(w.draw(0))) for name, w in worlds.items()}
    assert {sizes[name] for name in ("1D-RBF", "1D-cos", "1D-exp")} == {(11, 55)}
    assert {sizes[name] for name in ("2D-RBF", "2D-tanh", "2D-poly")} == {(36, 158)}
    assert [sizes[n] for n in ("Lines", "Blobs", "Screws")] == [(17, 136), (17, 136), (147, 135)]


def test_the_first_map_is_equation_32(yada):
    x, e = 0.3, np.exp
    by_hand = 2 * e(-((x + 0.6) ** 2)) - 3 * e(-((x + 0.2) ** 2)) + 2 * e(-((x - 0.8) ** 2))
    assert yada.worlds.rbf_1d(np.array([[x]])) == pytest.approx(by_hand)


def test_simulated_people_err_as_often_as_the_papers(yada, worlds):
    for name in ("Lines", "Blobs", "Screws"):
        counts = worlds[name].draw(0)
        truth = yada.techniques.log_likelihood(worlds[name].points, counts, yada.worlds.EXPONENTIAL)
        assert truth == pytest.approx(yada.published.TABLE_3[name, "Yada"], abs=0.02)


@pytest.mark.parametrize("name", SETTINGS)
def test_yada_is_as_good_as_published(yada, worlds, name):
    world, (bandwidth, penalty) = worlds[name], SETTINGS[name]
    fitter = yada.techniques.Fitter(yada.techniques.TECHNIQUES["Yada"], world.n_components)
    found = yada.tables.scores(
        fitter,
        yada.tables.cut(world.draw(0), 10, 0),
        yada.worlds.GAUSSIAN,
        (("bandwidth", bandwidth), ("penalty", penalty)),
        world.points,
    )
    published = yada.published.TABLE_1[name, "Yada"]
    assert found["log_likelihood"] == pytest.approx(published, abs=0.03)
    assert found["recovery"] < (6.0 if name == "1D-exp" else 0.25)


def test_tuning_never_sees_the_first_test_fold(yada, worlds, monkeypatch):
    seen = []

    def fit(train, p, *, bandwidth):
        seen.append(train.index)
        return train.items.features[:, :p] * bandwidth

    technique = yada.techniques.Technique("spy", fit, ({"bandwidth": [1.0, 2.0]},))
    world, effort = worlds["1D-RBF"], yada.tables.Effort(3, 2)
    yada.tables.cells(world, technique, 0, effort)
    held_out = yada.tables.cut(world.draw(0), 3, 0)[0][1].index
    rows = [set(map(tuple, index.tolist())) for index in seen]
    assert len(rows) == 2 * 2 + 3  # two settings on two folds for both choice models; three tests
    for tuning in rows[:4]:
        assert not tuning & set(map(tuple, held_out.tolist()))


def test_a_quick_run_fills_tables_and_draws_figures(yada, quick):
    cells = pd.read_csv(quick / "cells.csv")
    assert set(cells["technique"]) == set(yada.techniques.TECHNIQUES)
    assert np.isfinite(cells["log_likelihood"]).all()
    means = pd.read_csv(quick / "table1.csv").set_index(["world", "technique"])["mean"]
    assert means["1D-exp", "Yada"] > means["1D-exp", "NMMDS"]
    assert "(-0.13)" in (quick / "tables.md").read_text()
    for number in (3, 4, 5, 9, 10, 11):
        assert (quick / f"figure{number}.png").stat().st_size > 5000


def test_a_second_run_fits_nothing_again(yada, quick, monkeypatch):
    monkeypatch.setattr(yada.tables, "cells", None)
    before = (quick / "cells.csv").read_bytes()
    yada.tables.main(["--out", str(quick.parent), "--quick"])
    assert (quick / "cells.csv").read_bytes() == before


def test_faces_and_signals_are_read_as_their_source_says(yada, tmp_path):
    faces, morse = tmp_path / "face_confusions_grt", tmp_path / "morse_rothkopf"
    faces.mkdir()
    morse.mkdir()
    answers = np.zeros((3, 3, 9))  # answers by nose, by eyes, of each face shown
    answers[np.arange(9) % 3, np.arange(9) // 3, np.arange(9)] = 8
    answers[1, 0, 0] = 2  # the face of small nose and eyes, taken for that of a middling nose
    np.save(faces / "thomas15a_derived.npy", answers)
    counts = yada.worlds.faces(tmp_path, "a").draw(0)
    (row,) = np.flatnonzero(counts.errors)
    assert counts.items.features[counts.index[row]].tolist() == [[-1, -1], [0, -1]]
    assert (counts.errors[row], counts.trials[row]) == (2, 18)

    (morse / "fechner_morse_derived.csv").write_text("E,T,A\n90,10,4\n20,80,6\n2,4,100\n")
    (morse / "smacof_morse2_derived.csv").write_text("dim_0,.,-,.-\n")
    world = yada.worlds.morse(tmp_path)
    counts = world.draw(0)
    assert counts.errors.tolist() == [45, 9, 15]
    assert (counts.trials == 300).all()
    assert world.choices["gaussian"].ceiling == pytest.approx(0.9)
    assert counts.items.features[2].tolist() == [-0.5, 0.0, -0.5, 0.5, 0, 0, 0]
