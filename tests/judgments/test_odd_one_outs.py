"""Odd ones out: rows, files, and what they say of a space."""

import numpy as np
import pandas as pd
import pytest

import naive
import resemblance as rs
from resemblance.errors import JudgmentError, SettingError

MODELS = {
    "Softmax": (rs.choice.Softmax(), None),
    "StudentT": (rs.choice.StudentT(1.5), 1.5),
    "Relative": (rs.choice.Relative(0.2), 0.2),
    "Logistic": (rs.choice.Logistic(), None),
}
# without outliers: an item that is always the odd one may lie anywhere far off
SPACE = np.random.default_rng(0).uniform(-1.2, 1.2, size=(12, 2))


def shown(m, k=3, n=12, seed=1):
    rng = np.random.default_rng(seed)
    return np.array([rng.choice(n, k, replace=False) for _ in range(m)])


def some(m, k=3, seed=1, scale=2.0):
    """What a person would say is odd."""
    asked = rs.OddOneOuts(rows := shown(m, k, seed=seed), rows[:, 0], items=12)
    return rs.SpaceObserver(scale * SPACE, random_state=seed).answer(asked)


def test_index_is_the_odd_one_then_the_others():
    odd = rs.OddOneOuts([[3, 1, 2, 0], [4, 0, 2, -1]], odd=[2, 0])
    assert odd.index.tolist() == [[2, 0, 1, 3], [0, 2, 4, -1]]
    assert odd.n_options.tolist() == [4, 3]
    assert odd[1:].comparisons()[0].index.tolist() == [[0, 2, 4]]


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("k", [3, 5])
def test_the_likelihood_is_that_of_the_formula(name, k):
    choice, p = MODELS[name]
    answers = some(60, k)
    model = rs.OrdinalEmbedding(choice, 2).set_positions(SPACE, answers.items)
    odd, others = answers.index[:, 0], answers.index[:, 1:]
    expected = naive.odd_loss(name, p, SPACE, odd, others, choice.reads)
    assert model.log_loss(answers) == pytest.approx(expected / len(answers))
    p = model.predict_proba(answers)
    assert p.shape == (60, k)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)


@pytest.mark.parametrize("k", [3, 5])
def test_a_space_is_recovered_with_its_scale(k):
    answers, test = some(3000, k), some(500, k, 101)
    model = rs.STE(2, random_state=0).fit(answers)
    assert rs.procrustes_distance(SPACE, model.embedding_) < 0.02
    best = rs.STE(2).set_positions(2.0 * SPACE, answers.items).log_loss(test)
    assert model.log_loss(test) < best + 0.02
    spread = np.linalg.norm(SPACE - SPACE.mean(axis=0))
    assert np.linalg.norm(model.embedding_) == pytest.approx(2.0 * spread, rel=0.1)


@pytest.mark.parametrize("model", [rs.GNMDS(2), rs.SOE(2)])
def test_a_model_without_a_likelihood_is_refused(model):
    with pytest.raises(SettingError, match="use Relative"):
        model.fit(some(50))


def test_a_tie_counts_its_share():
    answers = rs.OddOneOuts([[0, 1, 2]], odd=[2])
    for X, error in (([[0.0], [0.0], [0.0]], 2 / 3), ([[0.0], [1.0], [2.0]], 1 / 2)):
        assert rs.triplet_error(X, answers) == pytest.approx(error)
        assert 1 - rs.STE(1).set_positions(X).score(answers) == pytest.approx(error)


def test_a_pair_that_was_kept_may_have_columns_of_its_own(tmp_path):
    path = tmp_path / "kept.csv"
    path.write_text("kept_a,kept_b,odd,observer,rt\n07,8,9,ann,812\n8,007,07,bob,90\n")
    told = rs.read_odd_one_outs(path)
    names = [[told.items.names[i] for i in row] for row in told.index.tolist()]
    assert [(row[0], set(row[1:])) for row in names] == [("9", {"07", "8"}), ("07", {"8", "007"})]
    assert told.observer.tolist() == ["ann", "bob"]
    assert list(told.extra) == ["rt"]


@pytest.mark.parametrize("row", ["a,b,", ",b,c", "a,a,b", "a,b,b"])
def test_a_bad_pair_that_was_kept_names_the_line(tmp_path, row):
    path = tmp_path / "kept.csv"
    path.write_text(f"kept_a,kept_b,odd\na,b,c\n{row}\n")
    with pytest.raises(JudgmentError, match=r"kept\.csv, line 3"):
        rs.read_odd_one_outs(path)


def test_a_file_with_a_stray_odd_one_names_the_line(tmp_path):
    path = tmp_path / "odd.csv"
    path.write_text("odd,options\na,a|b|c\nd,a|b|c\n")
    with pytest.raises(JudgmentError, match=r"line 3.*'d'"):
        rs.read_odd_one_outs(path)


@pytest.mark.parametrize(
    ("rows", "odd"), [([[0, 1]], [0]), ([[0, 1, 1]], [0]), ([[0, 1, 2]], [3]), ([[0, 1, -1]], [0])]
)
def test_rows_that_nobody_can_have_answered(rows, odd):
    with pytest.raises(JudgmentError, match="row 0"):
        rs.OddOneOuts(rows, odd)


def test_triplets_of_them_carry_what_goes_with_a_row():
    answers = rs.OddOneOuts([[0, 1, 2]], [1], observer=["ann"], weight=[2.0])
    triplets = rs.judgments.triplets_from_odd_one_out(answers)
    assert triplets.index.tolist() == [[0, 2, 1], [2, 0, 1]]
    assert triplets.observer.tolist() == ["ann", "ann"]
    assert triplets.weight.tolist() == [2.0, 2.0]
    with pytest.raises(JudgmentError, match="odd"):
        rs.judgments.triplets_from_odd_one_out([[0, 1, 2]])


def test_the_pair_that_was_kept_may_be_called_otherwise():
    table = pd.DataFrame({"x": ["a", "b"], "y": ["b", "c"], "z": ["c", "a"]})
    columns = {"kept_a": "x", "kept_b": "y", "odd": "z"}
    assert rs.read_odd_one_outs(table, columns=columns).index.tolist() == [[2, 0, 1], [0, 1, 2]]
    with pytest.raises(JudgmentError, match="'q'"):
        rs.read_odd_one_outs(table, columns={**columns, "kept_b": "q"})
    with pytest.raises(SettingError, match="kept_a"):
        rs.read_triplets(table, columns={"head": "x", "near": "y", "far": "z", "kept_a": "x"})
