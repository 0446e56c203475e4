"""Conventions of scikit-learn's estimators, and errors of wrong use."""

import inspect

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_estimator

import resemblance as rs
from resemblance.errors import JudgmentError, SettingError
from resemblance.fitting.estimator import Estimator

RNG = np.random.default_rng(0)
SPACE = RNG.normal(size=(15, 2))
ASKED = np.array([RNG.choice(15, 3, replace=False) for _ in range(1500)])
GAPS = ((SPACE[ASKED[:, :1]] - SPACE[ASKED[:, 1:]]) ** 2).sum(axis=2)
FIRST = GAPS[:, 0] < GAPS[:, 1]
RESPONSES = {
    "signs": np.where(FIRST, 1, -1),
    "floats": np.where(FIRST, 1.0, -1.0),
    "booleans": FIRST,
    "one-hot": np.column_stack([FIRST, ~FIRST]).astype(int),
    "one-hot booleans": np.column_stack([FIRST, ~FIRST]),
}
ESTIMATORS = [
    thing for name in rs.__all__ if isinstance(thing := getattr(rs, name), type)
    and issubclass(thing, Estimator)
]  # fmt: skip


@pytest.mark.parametrize("name", RESPONSES)
def test_queries_and_responses_are_fitted_as_cblearn_means_them(name):
    model = rs.SOE(2, random_state=0).fit(ASKED, RESPONSES[name])
    assert rs.procrustes_distance(SPACE, model.embedding_) < 0.02
    assert model.score(ASKED, RESPONSES[name]) > 0.98
    assert model.score(ASKED, RESPONSES["signs"] * -1) < 0.02


def test_quadruplets_are_turned_as_pairs():
    rows = ASKED[:, [0, 1, 0, 2]]
    turned = rs.as_judgments(rows, RESPONSES["signs"])
    np.testing.assert_array_equal(
        turned.index, np.where(FIRST[:, None], rows, rows[:, [2, 3, 0, 1]])
    )


@pytest.mark.parametrize(
    "y",
    [
        RESPONSES["signs"][:-1],
        np.zeros(len(ASKED), int),
        np.where(FIRST, 1, 2),
        np.where(FIRST, 1.0, np.nan),
        np.ones((len(ASKED), 2), int),
        np.ones((len(ASKED), 3), int),
        np.full(len(ASKED), "first"),
    ],
    ids=["short", "zeros", "one and two", "nan", "both hot", "three columns", "words"],
)
def test_other_responses_are_refused(y):
    with pytest.raises(JudgmentError):
        rs.STE(2).fit(ASKED, y)


def test_judgments_that_hold_their_answers_take_no_responses():
    choices = rs.Choices([0], [[1, 2, 3]], [2])
    with pytest.raises(JudgmentError, match="leave y out"):
        rs.STE(1).fit(choices, [1])
    counts = rs.Confusions([[0, 1]], [1], 4)
    with pytest.raises(JudgmentError, match="leave y out"):
        rs.Yada(1).fit(counts, [1])
    ranks = rs.PairRanks([[0, 1], [1, 2], [0, 2]], [1, 2, 3])
    with pytest.raises(JudgmentError, match="leave y out"):
        rs.NonmetricMDS(1).fit(ranks, [1, 2, 3])


@pytest.mark.parametrize("kind", ESTIMATORS, ids=lambda kind: kind.__name__)
def test_a_wrong_setting_names_the_nearest_one(kind):
    known = max(inspect.signature(kind).parameters, key=len)
    with pytest.raises(TypeError, match=f"did you mean '{known}'"):
        kind(**{known[:-1] + "_": 1})


BY_PLACE = "n_components", "estimator", "threshold", "n_templates", "levels"


@pytest.mark.parametrize("kind", ESTIMATORS, ids=lambda kind: kind.__name__)
def test_settings_are_given_by_name_but_the_first(kind):
    settings = inspect.signature(kind).parameters.values()
    by_place = [setting.name for setting in settings if setting.kind is not setting.KEYWORD_ONLY]
    assert by_place[-1:] in ([n] for n in BY_PLACE)
    assert set(kind().get_params(deep=False)) == {setting.name for setting in settings}
    assert all(getattr(kind(), setting.name) is setting.default for setting in settings)


def test_a_class_of_your_own_adds_its_settings():
    class Mine(rs.STE):
        """Of a user: one more setting, and another default."""

        width: float = 2.0
        n_init: int = 3

    mine = clone(Mine(4, width=1.5))
    assert mine.get_params() == rs.STE(4).get_params() | {"width": 1.5, "n_init": 3}
    with pytest.raises(TypeError, match="did you mean 'width'"):
        Mine(widht=1.0)
    with pytest.raises(TypeError, match="no setting 'choice'"):
        rs.STE(choice=rs.choice.Softmax())


@pytest.mark.parametrize("kind", ESTIMATORS, ids=lambda kind: kind.__name__)
def test_what_is_learned_is_asked_for_too_early(kind):
    model = kind()
    with pytest.raises(NotFittedError, match="call fit"):
        model.embedding_  # noqa: B018
    assert not hasattr(model, "embedding_")
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        model.nonsense  # noqa: B018


def test_a_fitted_model_lacks_only_what_its_form_does_not_have():
    model = rs.STE(2, random_state=0).fit(ASKED, FIRST)
    with pytest.raises(AttributeError) as told:
        model.gram_  # noqa: B018
    assert not isinstance(told.value, NotFittedError)


def test_fit_transform_is_the_embedding_and_its_dimensions_have_names():
    model = rs.TSTE(2, random_state=0)
    X = model.fit_transform(ASKED, FIRST)
    np.testing.assert_array_equal(X, model.embedding_)
    assert model.get_feature_names_out().tolist() == ["tste0", "tste1"]


def test_only_a_map_transforms():
    items = rs.Items(features=SPACE)
    assert not hasattr(rs.STE(2), "inverse_transform")
    mapped = rs.STE(2, form="linear", random_state=0)
    assert hasattr(mapped, "inverse_transform")
    mapped.fit(rs.Triplets(ASKED[FIRST], items))
    assert mapped.transform(SPACE).shape == (15, 2)
    assert mapped.n_features_in_ == 2


FRAME = pd.DataFrame(SPACE, columns=["width", "hue"])


@pytest.mark.parametrize(
    "model",
    [rs.STE(2, form="linear", random_state=0), rs.SchultzJoachims(2, kernel=None), rs.POE(2)],
    ids=lambda model: type(model).__name__,
)
def test_names_of_features_are_learned_and_asked_for_again(model):
    index = ASKED[FIRST][:300]
    model.fit(rs.Triplets(index, rs.Items(features=FRAME)))
    assert model.feature_names_in_.tolist() == ["width", "hue"]
    np.testing.assert_array_equal(model.transform(FRAME), model.transform(SPACE))
    for wrong, told in {
        ("hue", "width"): "column 0 of the features is 'hue'; in the fit it was 'width'",
        ("width",): "column 1 of the features is missing; in the fit it was 'hue'",
        ("width", "hue", "hue"): "column 2 of the features is 'hue'; in the fit it was not there",
    }.items():
        with pytest.raises(SettingError, match=told):
            model.transform(FRAME[list(wrong)])
    with pytest.raises(SettingError, match="column 1 of the features is 'depth'"):
        model.transform(FRAME.rename(columns={"hue": "depth"}))
    model.fit(rs.Triplets(index, rs.Items(features=SPACE)))
    assert not hasattr(model, "feature_names_in_")
    for wrong in (SPACE[:, :1], FRAME[["width"]]):
        with pytest.raises(SettingError, match="1 features, those of the fit 2"):
            model.transform(wrong)
    assert model.n_features_in_ == 2


def test_arrays_of_cblearn_are_triplets():
    made = rs.Triplets.from_cblearn(ASKED, RESPONSES["signs"], items=15)
    np.testing.assert_array_equal(made.index, rs.as_judgments(ASKED, RESPONSES["floats"]).index)
    assert type(made) is rs.Triplets
    np.testing.assert_array_equal(rs.Triplets.from_cblearn(ASKED).index, ASKED)
    assert type(rs.Quadruplets.from_cblearn(ASKED[:, [0, 1, 0, 2]], FIRST)) is rs.Quadruplets
    with pytest.raises(JudgmentError, match="row 1: the response is 0"):
        rs.Triplets.from_cblearn(ASKED[:2], [1, 0])
    with pytest.raises(JudgmentError, match="split_catches"):
        rs.Triplets.from_cblearn([[0, 0, 1]], [1])


@pytest.mark.filterwarnings("ignore:Can't test estimator")
@pytest.mark.parametrize("kind", ESTIMATORS, ids=lambda kind: kind.__name__)
def test_scikit_learn_finds_nothing_wrong(kind):
    """It checks what it can of estimators that take no table of features."""
    check_estimator(kind())
    assert not get_tags(kind()).input_tags.two_d_array


class TestScikitLearn:
    """What its users do with any estimator."""

    TRIPLETS = rs.as_judgments(ASKED[:300], RESPONSES["signs"][:300]).index

    def test_weights_are_routed(self):
        weight = RNG.random(300)
        with config_context(enable_metadata_routing=True):
            model = rs.STE(2, penalty=0.1, random_state=0)
            model.set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
            given = cross_validate(model, self.TRIPLETS, cv=3, params={"sample_weight": weight})
        plain = cross_validate(rs.STE(2, penalty=0.1, random_state=0), self.TRIPLETS, cv=3)
        assert np.abs(given["test_score"] - plain["test_score"]).max() > 0

    def test_positions_go_on_to_other_steps(self):
        steps = make_pipeline(rs.STE(2, penalty=0.1, random_state=0), KMeans(3, random_state=0))
        classes = steps.fit(self.TRIPLETS).predict(self.TRIPLETS)
        assert (len(classes), steps[0].n_features_in_) == (15, 3)
        few = rs.Triplets([[0, 2, 1]], items=["4", "9", "11"])
        np.testing.assert_array_equal(steps[0].transform(few), steps[0].embedding_[[4, 9, 11]])
        with pytest.raises(JudgmentError):
            steps[0].transform(rs.Triplets([[0, 2, 1]], items=["4", "9", "99"]))
        with pytest.raises(SettingError):
            steps[0].transform(RNG.normal(size=(15, 2)))

    @pytest.mark.parametrize("kind", ["pandas", "polars"])
    def test_tables_come_out(self, kind):
        model = rs.STE(2, penalty=0.1, random_state=0).set_output(transform=kind)
        table = clone(model).fit_transform(self.TRIPLETS)
        assert type(table).__module__.startswith(kind)
        assert list(table.columns)[-2:] == ["ste0", "ste1"]
        assert len(table) == 15
        with pytest.raises(SettingError):
            model.set_output(transform="excel")

    def test_positions_from_elsewhere_need_no_items_of_ours(self):
        model = rs.STE(2).set_positions(SPACE, 15)
        assert len(model.items_) == 15
        assert rs.STE(2).set_positions(SPACE, [f"i{k}" for k in range(15)]).items_.names[3] == "i3"
        with pytest.raises(SettingError):
            rs.STE(2).set_positions(SPACE, 14)


def test_a_fourth_column_that_holds_no_items_is_refused():
    others = [next(i for i in range(15) if i not in row) for row in ASKED]
    times = np.column_stack([ASKED, RNG.integers(300, 4000, len(ASKED))])
    with pytest.raises(JudgmentError, match="fourth column"):
        rs.STE(2).fit(times)
    assert len(rs.as_judgments(np.column_stack([ASKED, others]))) == len(ASKED)
    assert len(rs.Quadruplets(times)) == len(times)


def test_a_matrix_of_means_is_ranked():
    distance = np.linalg.norm(SPACE[:, None] - SPACE[None], axis=2)
    ranks = rs.PairRanks.from_matrix(5 - distance, similarities=True)
    same = rs.PairRanks.from_matrix(distance)
    np.testing.assert_array_equal(ranks.ranks, same.ranks)
    model = rs.NonmetricMDS(2, random_state=0).fit(ranks)
    assert rs.procrustes_distance(SPACE, model.embedding_) < 0.01
    distance[2, 5] = distance[5, 2] = np.nan
    assert len(rs.PairRanks.from_matrix(distance)) == len(same) - 1
    distance[3, 4] += 1
    with pytest.raises(JudgmentError, match=r"\(3, 4\)"):
        rs.PairRanks.from_matrix(distance)


@pytest.mark.parametrize(
    "told", [rs.Triplets([[0, 1, 2]])[:0], rs.Triplets([[0, 1, 2]], weight=[0])]
)
@pytest.mark.parametrize("model", [rs.STE(1), rs.STE(1, penalty="auto"), rs.SPoSE(1)])
def test_judgments_that_do_not_count_place_nothing(model, told):
    with pytest.raises(JudgmentError):
        model.fit(told)


def test_positions_from_elsewhere_forget_the_fit():
    """Nothing that a report reads stays of an earlier fit: its loss, its rows, its parts."""
    rows = [[0, 1, 2], [1, 0, 2], [2, 1, 0], [0, 2, 1]] * 5
    model = rs.STE(1, penalty=0.1, random_state=0).fit(rs.Triplets(rows, items=3))
    assert model.converged_
    model.set_positions([[0.0], [1.0], [3.0]])
    for name in ("loss_", "n_iter_", "converged_", "parts_", "unmentioned_"):
        assert not hasattr(model, name), name
    fit = rs.evaluate(model, rows).as_dict()["fit"]
    assert (fit["loss"], fit["n_iter"], fit["converged"]) == (None, None, None)


def test_files_of_cblearn_come_back(tmp_path):
    triplets = rs.Triplets(ASKED[:50], [f"i{k}" for k in range(15)], observer=["ann"] * 50)
    rs.write_cblearn(triplets, tmp_path / "t.npz")
    again = rs.read_cblearn(tmp_path / "t.npz")
    np.testing.assert_array_equal(again.index, triplets.index)
    assert again.items.names == triplets.items.names
    assert set(again.observer) == {"ann"}
    rs.write_cblearn(triplets, tmp_path / "t.csv")
    np.testing.assert_array_equal(rs.read_cblearn(tmp_path / "t.csv").index, triplets.index)
    with pytest.raises(rs.errors.FileError, match="not there"):
        rs.read_cblearn(tmp_path / "none.npz")
