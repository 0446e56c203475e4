"""Groups of people: found where they differ, and not where they do not; what is refused."""

import numpy as np
import pandas as pd
import pytest
from sklearn.utils import check_random_state

import resemblance as rs
from resemblance.errors import JudgmentError, SettingError
from resemblance.fitting.groups import (
    attended,
    contrasts_of_parts,
    folds_of_people,
    metric_scores,
    parts_of_logs,
    weight_scores,
)
from scripts import scripts

QUICK = {"n_permutations": 199, "n_resamples": 10, "random_state": 0}


@pytest.fixture(scope="module")
def worlds():
    with scripts("papers/calibration", "groups", "worlds") as modules:
        modules.groups.RESAMPLES = QUICK["n_resamples"]
        yield modules.groups


@pytest.fixture(scope="module")
def found(worlds):
    told, groups = worlds.answers(0, 2.5)
    return rs.compare_groups(told, groups, rs.STE(2, penalty=0.5, random_state=0), **QUICK)


class TestTheTest:
    def test_the_metric_is_scored_by_its_gradient(self):
        """The scores are the slopes of everybody's log likelihood in a symmetric metric."""
        rng = np.random.default_rng(0)
        X = rng.normal(size=(8, 2))
        told = rs.Triplets([rng.choice(8, 3, replace=False) for _ in range(30)], items=8)
        who = rng.permutation(np.repeat([0, 1], [11, 19]))
        scores = metric_scores(X, rs.choice.Softmax(), told, who, np.ones((2, 2)))

        def likelihood(M, person):
            gap = lambda a, b: X[a] - X[b]  # noqa: E731
            h, n, f = told.index[who == person].T
            near, far = (np.einsum("ra,ab,rb->r", gap(h, x), M, gap(h, x)) for x in (n, f))
            return -np.log1p(np.exp(near - far)).sum()

        slope = np.zeros((2, 2, 2))
        for person, *place in np.ndindex(2, 2, 2):
            step = np.zeros((2, 2))
            step[*place] = 1e-6
            rise = likelihood(np.eye(2) + step, person) - likelihood(np.eye(2) - step, person)
            slope[person, *place] = rise / 2e-6
        expected = np.column_stack([slope[:, 0, 0], slope[:, 1, 1], slope[:, 0, 1]])
        np.testing.assert_allclose(scores, expected, rtol=1e-4)

    @pytest.mark.parametrize("of_each", [20, 3])  # of few, each number by its own variance
    def test_the_p_value_is_the_share_of_deals_that_differ_as_much(self, worlds, of_each):
        told, groups = worlds.answers(0, 1.0, 20)
        told = told[np.array([int(name[2:]) < of_each for name in told.observer])]
        people, who = np.unique(told.observer, return_inverse=True)
        sides = np.array([groups[name] for name in people])
        known = rs.STE(2).set_positions(worlds.dense(0, 1.0, 1).points)
        found = rs.compare_groups(told, groups, known, keep_space=True, **QUICK)
        space = rs.IndividualSpaces(known, keep_space=True, strength=np.inf, cv=0).fit(told)
        points, ones = space.space(people[0]), np.ones((len(people), 2))
        of_scale = metric_scores(points, known.choice_, told, who, ones)[:, :2].sum(axis=1)
        points = space.fit(attended(space, told, who)).space(people[0])
        of_weights = weight_scores(points, known.choice_, told, who)[0]

        def spread(numbers, sides):
            groups = [numbers[sides == side] for side in "ab"]
            S = [np.atleast_2d(np.cov(g.T)) / len(g) for g in groups]
            S = S if of_each == 20 else [np.diag(np.diag(s)) for s in S]
            away = groups[0].mean(axis=0) - groups[1].mean(axis=0)
            return away @ np.linalg.pinv(S[0] + S[1], rcond=1e-9) @ away

        rng = check_random_state(0)
        for numbers, p in ((of_scale[:, None], found.p_clarity), (of_weights, found.p_value)):
            least = (1 - 1e-9) * spread(numbers, sides)
            reached = sum(spread(numbers, rng.permutation(sides)) >= least for _ in range(199))
            assert p == (1 + reached) / 200

    def test_scores_of_weights_are_free_of_the_scale(self, worlds):
        told, _ = worlds.answers(0, 1.0, 40)
        known = rs.STE(2).set_positions(worlds.dense(0, 1.0, 1).points)
        who = np.unique(told.observer, return_inverse=True)[1]
        scores, shifts = weight_scores(known.embedding_, known.choice_, told, who)
        for numbers in (scores, *shifts.values()):
            np.testing.assert_allclose(numbers[..., :2].sum(axis=-1), 0.0, atol=1e-9)
        weaker, stronger = (np.median(shifts[ratio][0, :, 0]) for ratio in (1.3, 1.6))
        assert 0 < weaker < stronger

    @pytest.mark.parametrize("noise", ["lapses", "sides"])
    @pytest.mark.long
    def test_groups_of_which_one_is_only_noisier_weigh_alike(self, worlds, noise):
        """Half of the answers of one group are guesses, or those of one side."""
        p = []
        for seed in range(2):
            study, rng = worlds.dense(seed, 1.0, 100), np.random.default_rng(seed)
            told = study.told
            side = rng.integers(2, size=len(told))
            is_guess = np.char.startswith(told.observer, "b") & (rng.random(len(told)) < 0.5)
            turned = is_guess & (side == 1 if noise == "sides" else rng.random(len(told)) < 0.5)
            index = np.where(turned[:, None], told.index[:, [0, 2, 1]], told.index)
            side = np.where(turned, 1 - side, side)
            told = rs.Triplets(index, told.items, observer=told.observer, extra={"side": side})
            found = rs.compare_groups(told, study.groups, study.model, **QUICK)
            assert found.p_clarity < 0.05
            p.append(found.p_value)
        assert max(p) > 0.02  # one world in five is below .05

    def test_power_is_how_often_a_difference_would_be_found(self, worlds):
        study = worlds.dense(0, 1.0, 60)
        power = [
            rs.compare_groups(study.told[rows], study.groups, study.model, **QUICK).power
            for rows in (slice(None, None, 4), slice(None))
        ]
        for few, many in zip(power[0].values(), power[1].values(), strict=True):
            assert 0.03 < few < many < 1
        assert power[1][1.3] < power[1][1.6]


class TestSparseAnswers:
    def test_weights_of_groups_that_are_alike_stay_near_1(self, worlds):
        """Fitted with the space itself, they were apart by factors of 80."""
        study = worlds.sparse(0, 1.0, 60, 3, 8)
        told = rs.compare_groups(study.told, study.groups, study.model, **QUICK).table
        weight, low, high = np.log(told[["weight", "low", "high"]]).dropna().to_numpy().T
        assert len(weight) >= 4
        assert np.sqrt((weight**2).mean()) < 0.5
        assert ((low <= 0) & (high >= 0)).mean() >= 0.8

    def test_few_answers_tell_no_weights_but_a_p_value(self, worlds):
        study = worlds.sparse(0, 1.0, 40, 3, 1)
        said = rs.compare_groups(study.told, study.groups, study.model, **QUICK)
        assert said.table[["weight", "low", "high"]].isna().all().all()
        assert 0 < said.p_value <= 1

    def test_nobody_is_weighed_in_a_space_of_their_own_answers(self):
        of_person = np.repeat([0, 1], [4, 9])
        fold = folds_of_people(of_person, np.random.RandomState(0))
        assert sorted(np.bincount(fold[:4])) == [1, 1, 1, 1]
        assert np.ptp(np.bincount(fold[4:])) <= 1

    def test_contrasts_are_those_of_the_parts(self):
        logs = np.random.default_rng(0).normal(size=(3, 2))
        params = np.concatenate([np.ones((1, 4)), np.pad(logs, ((0, 0), (0, 2)))]).ravel()
        parts = contrasts_of_parts(3, 2, 4) @ params
        np.testing.assert_allclose(parts, parts_of_logs(logs - logs.mean(axis=0)), atol=1e-12)


class TestWhatIsTold:
    def test_of_each_dimension_and_group(self, found):
        assert found.groups == ("a", "b")
        assert found.people == (20, 20)
        assert found.p_value < 0.05
        table = found.table
        assert table["dimension"].tolist() == ["clarity"] * 2 + ["1"] * 2 + ["2"] * 2
        assert (table["low"] < table["weight"]).all()
        assert (table["weight"] < table["high"]).all()
        for _, rows in table.groupby("dimension"):
            assert rows["weight"].prod() == pytest.approx(1.0)
        own = table[(table["dimension"] != "clarity") & (table["group"] == "b")]
        assert own["weight"].max() > 1.1

    def test_a_column_says_what_a_mapping_does_and_one_seed_gives_one_result(self, worlds, found):
        told, groups = worlds.answers(0, 2.5)
        side = np.array([groups[name] for name in told.observer])
        model = rs.STE(2, penalty=0.5, random_state=0)
        column = rs.compare_groups(told.with_extra("hand", side), "hand", model, **QUICK)
        assert column.p_value == found.p_value
        np.testing.assert_array_equal(column.table["high"], found.table["high"])

    def test_three_groups_and_a_space_that_is_kept(self, worlds):
        told, groups = worlds.answers(1, 2.0, 40)
        thirds = {name: "abc"[i % 3] for i, name in enumerate(groups)}
        known = rs.STE(2, penalty=0.5, random_state=0).fit(told)
        found = rs.compare_groups(told, thirds, known, keep_space=True, **QUICK)
        assert found.groups == ("a", "b", "c")
        np.testing.assert_array_equal(found.space.embedding_, known.embedding_)

    def test_inner_products(self, worlds):
        rng = np.random.default_rng(0)
        X = rng.uniform(0, 1.5, (15, 3))
        weights = [[1, 1, 1]] * 6 + [[3, 1, 1]] * 6
        people = [
            rs.SpaceObserver(X, rs.choice.Logistic(), weights=w, random_state=0) for w in weights
        ]
        names = [f"p{i:02d}" for i in range(12)]
        asked = np.array([rng.choice(15, 3, replace=False) for _ in range(2400)])
        told = rs.Crowd(people, names, random_state=0).answer(asked)
        known = rs.SPoSE(3).set_positions(X)
        sides = {name: "old" if name < "p06" else "young" for name in names}
        found = rs.compare_groups(told, sides, known, keep_space=True, **QUICK)
        assert found.p_value < 0.05
        young = found.table[found.table["group"] == "young"].set_index("dimension")["weight"]
        assert young["1"] == max(young[["1", "2", "3"]])

    def test_progress(self, worlds):
        told, groups = worlds.answers(1, 2.0, 20)
        heard = []
        rs.compare_groups(told, groups, **QUICK, callback=lambda *done: heard.append(done))
        assert heard[-1] == (10, 10)


class TestBadInput:
    @pytest.fixture
    def told(self):
        rows = np.array([[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1]])
        return rs.Triplets(rows, observer=["ann", "ben", "cem", "dia"])

    @pytest.mark.parametrize(
        "groups",
        [
            {"ann": "x", "ben": "x", "cem": "y"},  # nobody knows of dia
            {"ann": "x", "ben": "x", "cem": "x", "dia": "x"},  # one group
            {"ann": "x", "ben": "x", "cem": "x", "dia": "y"},  # a group of one
            {"ann": "x", "ben": "x", "cem": np.nan, "dia": np.nan},  # two without a group
            "side",  # no such column
        ],
    )
    def test_groups(self, told, groups):
        with pytest.raises(JudgmentError):
            rs.compare_groups(told, groups, **QUICK)

    def test_somebody_in_two_groups(self, told):
        twice = rs.Triplets(told.index, observer=["ann", "ann", "ben", "ben"])
        with pytest.raises(JudgmentError) as said:
            rs.compare_groups(twice.with_extra("side", ["l", "r", "l", "r"]), "side", **QUICK)
        assert "'ann'" in str(said.value)

    def test_rows_without_a_name(self, told):
        some = rs.Triplets(told.index, observer=["ann", "ann", "", ""])
        sides = told.with_extra("side", ["x", "x", np.nan, np.nan])
        for who in (
            lambda: rs.IndividualSpaces().fit(some),
            lambda: rs.score_participants(some),
            lambda: rs.compare_groups(sides, "side", **QUICK),
        ):
            with pytest.raises(JudgmentError, match="row 2"):
                who()
        with pytest.raises(JudgmentError, match="several kinds"):
            rs.score_participants(rs.join_judgments([told, rs.Ratings([[0, 1]], [2], 5)]))

    def test_nobody_named(self):
        with pytest.raises(JudgmentError):
            rs.compare_groups([[0, 1, 2], [1, 2, 0]], {"ann": "x"}, **QUICK)

    @pytest.mark.parametrize("settings", [{"n_permutations": 10}, {"n_resamples": 2}])
    def test_too_few_draws(self, told, settings):
        with pytest.raises(SettingError):
            rs.compare_groups(told, {}, **settings)


def test_groups_in_a_series_are_those_of_a_dict():
    told = rs.Triplets([[0, 1, 2], [1, 0, 2]], observer=["ann", "bob"])
    with pytest.raises(JudgmentError, match="one person in x"):
        rs.compare_groups(told, pd.Series(["x", "y"], ["ann", "bob"]))
