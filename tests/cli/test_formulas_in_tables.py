"""Names of items that a spreadsheet would run are escaped in tables, and read as they were."""

import csv

import numpy as np

from resemblance import Choices, Items, Triplets, load, read_choices, read_items, read_triplets
from resemblance.cli.search import read_model
from resemblance.cli.simulate import items_in

NAMES = ("=1+1", "-minus", "'=quoted", "'plain", "@at", "tie")
WRITTEN = {"'=1+1", "'-minus", "''=quoted", "''plain", "'@at", "tie"}


def cells(path, column):
    with path.open(newline="") as file:
        return {row[column] for row in csv.DictReader(file)}


def test_names_of_a_fit_go_round(quick, tmp_path):
    index = np.array([[i, (i + 1) % 6, (i + 2) % 6] for i in range(6)] * 20)
    Triplets(index, Items(NAMES), observer=["=a"] * 120).write(tmp_path / "answers.csv")
    assert cells(tmp_path / "answers.csv", "near") == WRITTEN
    answers = read_triplets(tmp_path / "answers.csv")
    assert (set(answers.items.names), set(answers.observer)) == (set(NAMES), {"=a"})
    quick("fit", "answers.csv", "--model", "ste", "--penalty", 0.1, "--folds", 0, "--out", "map")
    path, model = tmp_path / "map" / "embedding.csv", load(tmp_path / "map" / "model.npz")
    assert cells(path, "item") == WRITTEN
    for names in (read_items(path).names, items_in(path).names, read_model(path).items_.names):
        assert names == model.items_.names == answers.items.names
    np.testing.assert_allclose(read_model(path).embedding_, model.embedding_)


def test_lists_in_cells_go_round(tmp_path):
    path = tmp_path / "choices.csv"
    Choices([0], [[1, 2, 3]], [2], Items(NAMES[:4])).write(path)
    read = read_choices(path, Items(NAMES))
    assert read.index.tolist() == [[0, 2, 1, 3]]
