"""The scripts of papers/things, on a stand-in of the data that is made here."""

import numpy as np
import pandas as pd
import pytest

import resemblance as rs
from scripts import scripts

N, PEOPLE = 30, 8


@pytest.fixture(scope="module")
def things():
    """The scripts as modules; nothing of them stays importable afterwards."""
    with scripts("papers/things") as modules:
        yield modules


def odd_ones(m, seed, points):
    """Answers as in the files: the pair that was kept, and the odd one."""
    rng = np.random.default_rng(seed)
    shown = np.array([rng.choice(N, 3, replace=False) for _ in range(m)])
    person = rs.SpaceObserver(points, random_state=seed)
    odd_first = person.answer(rs.OddOneOuts(shown, shown[:, 0], N)).index
    return pd.DataFrame(odd_first[:, [1, 2, 0]], columns=["kept_a", "kept_b", "odd"])


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """A folder with files of the names and columns of the real ones."""
    folder = tmp_path_factory.mktemp("data")
    objects, faces = folder / "things", folder / "cfd36"
    objects.mkdir()
    faces.mkdir()
    rng = np.random.default_rng(0)
    points = 1.5 * np.abs(rng.normal(size=(N, 3)))
    features = points @ rng.normal(size=(3, 6)) + 0.5 * rng.normal(size=(N, 6))
    np.save(objects / "spose49.npy", points.astype(np.float32))
    np.save(objects / "clip_vit_b32.npy", features.astype(np.float32))
    names = ["bat", "bat", *(f"thing{i}" for i in range(2, N))]
    pd.DataFrame({"item": range(N), "name": names}).to_csv(objects / "objects.csv", index=False)
    for part, m, seed in (("train", 1500, 0), ("test", 400, 1), ("people", 900, 2)):
        table = odd_ones(m, seed, points)
        if part == "people":
            table["person"] = np.arange(m) % PEOPLE
        table.to_csv(objects / f"odd_one_out_{part}.csv.gz", index=False)
    shown = np.array([rng.choice(12, 3, replace=False) for _ in range(900)])
    told = rs.SpaceObserver(points[:12], random_state=3).answer(rs.Triplets(shown, 12)).index
    table = pd.DataFrame(told, columns=["head", "winner", "loser"])
    table["person"], table["sampleAlg"] = np.arange(900) % PEOPLE, "random"
    table.to_csv(faces / "triplets_derived.csv.gz", index=False)
    return folder


def test_every_part_writes_its_tables(things, data, tmp_path):
    things.run.main(["--data", str(data), "--out", str(tmp_path), "--quick"])
    written = {path.name for path in (tmp_path / "quick").iterdir()}
    tables = "rows", "new_objects", "sparse", "distances", "models", "people"
    tables += "context", "context_together", "apart", "taken_for"
    assert {f"{name}.{kind}" for name in tables for kind in ("csv", "md")} <= written
    assert {"rows.png", "distances.png"} <= written
    rows = pd.read_csv(tmp_path / "quick" / "rows.csv").set_index(["rows", "model"])
    assert list(rows.loc[450].index) == ["no features", "machine", "map alone", "prior"]
    assert (rows["accuracy"] > 0.4).all()
    apart = pd.read_csv(tmp_path / "quick" / "apart.csv").set_index("way")
    assert set(apart.index) == {"random", "controversial"}
    assert ((apart >= 0) & (apart <= 1)).all(axis=None)
    models = pd.read_csv(tmp_path / "quick" / "models.csv").set_index("model")
    assert models.loc["SPoSE-49, dot", "accuracy"] > models.loc["CLIP, dot", "accuracy"]


def test_questions_that_others_have_are_found(things):
    some = rs.OddOneOuts([[0, 1, 2], [3, 4, 1]], [0, 3], 5)
    others = rs.OddOneOuts([[2, 1, 0]], [1], 5)
    assert things.settings.known_question(some, others).tolist() == [True, False]


def test_dimensions_that_came_back(things):
    X = np.random.default_rng(0).normal(size=(50, 4))
    assert things.dimensions.came_back(X, 2 * X[:, ::-1] + 1) == 1.0
    assert things.dimensions.came_back(X, X[:, :2]) == 0.5
