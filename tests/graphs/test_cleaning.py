"""`clean` and its report."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import resemblance as rs


def noisy(n_people=5, worst=None, m=1500, seed=0):
    """Answers about twelve points; everybody errs in 5 % of them, the worst one in 40 %."""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(12, 2))
    rows = np.array([rng.choice(12, 3, replace=False) for _ in range(m)])
    people = np.resize([f"p{k}" for k in range(n_people)], m)
    near, far = (((points[rows[:, 0]] - points[rows[:, k]]) ** 2).sum(axis=1) for k in (1, 2))
    errs = rng.random(m) < np.where(people == worst, 0.4, 0.05)
    swap = (near > far) != errs
    rows[swap] = rows[swap][:, [0, 2, 1]]
    return rs.Triplets(rows, 12, observer=people)


@given(st.integers(0, 1000), st.booleans(), st.sampled_from(["none", "majority"]))
@settings(max_examples=25)
def test_the_report_accounts_for_every_row(seed, reduce, contradictions):
    rng = np.random.default_rng(seed)
    rows = np.array([rng.choice(5, 3, replace=False) for _ in range(30)])
    cleaned, report = rs.clean(rows, contradictions=contradictions, reduce=reduce, random_state=0)
    parts = [report.contradictory, report.cyclic, report.redundant, report.kept]
    np.testing.assert_array_equal(np.sort(np.concatenate(parts)), np.arange(30))
    np.testing.assert_array_equal(cleaned.index, rows[report.kept])
    gone = -np.diff(report.steps["rows"])
    assert gone.tolist() == [len(part) for part in parts[: 2 + reduce]]
    assert rs.SimilarityGraph(cleaned).components() == []


def test_it_is_the_steps_of_the_graph():
    answers = noisy()
    cleaned, report = rs.clean(answers, reduce=True, random_state=3)
    pruned = rs.SimilarityGraph(answers).prune_contradictions("majority")
    by_hand = pruned.acyclic(random_state=3).reduced()
    np.testing.assert_array_equal(report.kept, by_hand.rows())
    assert report.components.tolist() == [len(part) for part in pruned.components()]
    assert report.steps["comparisons"].iloc[-1] == by_hand.n_edges
    np.testing.assert_array_equal(cleaned.observer, answers.observer[report.kept])


def test_weights_count_like_repeats():
    repeated = rs.Triplets(noisy().index, 12)
    merged = repeated.merge_repeats()
    reports = [rs.clean(judgments, random_state=0)[1] for judgments in (repeated, merged)]
    one, other = (report.steps[["comparisons", "weight"]].to_numpy() for report in reports)
    np.testing.assert_array_equal(one, other)


def test_consistent_answers_are_left_alone():
    answers = rs.Quadruplets([[0, 1, 1, 2], [1, 2, 2, 3], [0, 1, 2, 3]])
    cleaned, report = rs.clean(answers)
    np.testing.assert_array_equal(cleaned.index, answers.index)
    reduced, report = rs.clean(answers, reduce=True)
    assert report.redundant.tolist() == [2]
    assert isinstance(reduced, rs.Quadruplets)


def test_who_contradicts_most():
    _, report = rs.clean(noisy(worst="p3"), random_state=0)
    table = report.observers
    assert table.index[0] == "p3"
    assert table["excess"].sum() == pytest.approx(0, abs=1e-9)
    assert table["answers"].sum() == 1500
    removed = table[["contradictory", "cyclic"]].sum()
    assert removed.tolist() == [len(report.contradictory), len(report.cyclic)]
    assert table["share"].iloc[0] > 2 * table["share"].iloc[1]
    assert f"p3: {removed_of(table.iloc[0])} of 300 removed" in str(report)


def removed_of(row):
    return int(row["contradictory"] + row["cyclic"])


def test_without_observers_nobody_is_named():
    _, report = rs.clean([[0, 1, 2], [0, 1, 2], [0, 2, 1]])
    assert report.observers is None
    assert "contradicts" not in str(report)


def test_what_the_report_says():
    rows = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 1, 3], [0, 2, 3], [3, 0, 1], [3, 1, 0], [3, 1, 0]]
    _, report = rs.clean(rows, reduce=True, random_state=0)
    said = dict(report.lines())
    assert said["rows"] == "8, which compare 5 pairs"
    assert said["contradictory"] == "1 removed"
    assert said["in cycles"] == "1 removed: the largest component has 3 pairs"
    assert said["consistent"] == "6 (75.0% of the weight)"
    assert str(report).splitlines()[0] == "rows           8, which compare 5 pairs"


def test_catch_trials_stay_beside_the_answers():
    answers = rs.Triplets.split_catches([[0, 1, 2], [1, 1, 2], [0, 1, 2], [0, 2, 1]])
    cleaned, _ = rs.clean(answers)
    assert len(cleaned) == 2
    assert len(cleaned.catches) == 1


def test_nothing_left_is_an_error_with_remedies():
    rows = [[0, 1, 2], [0, 2, 1], [0, 1, 2]]
    with pytest.raises(rs.errors.JudgmentError, match=r"no comparison is left: each of the 3 rows"):
        rs.clean(rows, contradictions="none")
    assert len(rs.clean(rows)[0]) == 2
    with pytest.raises(rs.errors.JudgmentError, match="or has no weight"):
        rs.clean(rs.Triplets([[0, 1, 2]], weight=[0.0]))


@pytest.mark.parametrize(
    ("settings", "told"),
    [({"method": "magic"}, "method"), ({"contradictions": "all"}, "contradictions")],
)
def test_unknown_settings_are_refused(settings, told):
    with pytest.raises(rs.errors.SettingError) as error:
        rs.clean([[0, 1, 2], [1, 2, 0], [2, 0, 1]], **settings)
    assert error.value.setting == told


def test_a_report_prints_what_was_removed_and_who_contradicts_most():
    answers = rs.Triplets([[0, 1, 2], [0, 1, 2], [0, 2, 1]], observer=["ann", "bob", "cem"])
    lines = str(rs.clean(answers)[1]).splitlines()
    assert lines[-2:] == [
        "consistent        2 (66.7% of the weight)",
        "contradicts most  cem: 1 of 1 removed (100%)",
    ]
