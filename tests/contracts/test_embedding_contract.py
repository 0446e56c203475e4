"""The promises of every embedding, whatever its choice model and form."""

import numpy as np
import pytest
from sklearn.base import clone

import resemblance as rs
from resemblance.errors import (
    DisconnectedWarning,
    JudgmentError,
    NotConvergedWarning,
    SettingError,
    UnmentionedWarning,
)

N = 20
SPACE = np.random.default_rng(0).normal(size=(N, 2))
CELLS = {
    "GNMDS-K": rs.GNMDS(form="gram", random_state=0),
    "CKL-X-unit": rs.CKL(n_components=3, unit_norm=True, random_state=0),
    "CKL-K": rs.CKL(form="gram", random_state=0),
    "STE-X": rs.STE(penalty=0.01, random_state=0),
    "TSTE-K": rs.TSTE(form="gram", penalty=0.1, random_state=0),
    "SOE-X": rs.SOE(random_state=0),
    "logistic-X": rs.fitting.OrdinalEmbedding(
        rs.choice.Logistic(), n_components=3, penalty=0.1, random_state=0
    ),
}
TWO_ONLY = ("GNMDS", "SOE")  # compare two distances, and no more
GRAMS = tuple(name for name, model in CELLS.items() if model.form == "gram")


def questions(m, seed=0):
    rng = np.random.default_rng(seed)
    return np.array([rng.choice(N, 3, replace=False) for _ in range(m)])


@pytest.fixture(scope="module")
def triplets():
    """2,000 answers without noise."""
    head, one, other = questions(2000).T
    closer = np.linalg.norm(SPACE[head] - SPACE[one], axis=1) < np.linalg.norm(
        SPACE[head] - SPACE[other], axis=1
    )
    near, far = np.where(closer, one, other), np.where(closer, other, one)
    return rs.Triplets(np.column_stack([head, near, far]), items=N)


@pytest.fixture(scope="module")
def fitted(triplets):
    return {name: clone(model).fit(triplets[:1600]) for name, model in CELLS.items()}


def mistaken(triplets):
    """Turn one answer in five round, so that no start can be without loss."""
    rows = triplets.index.copy()
    rows[::5] = rows[::5, [0, 2, 1]]
    return rs.Triplets(rows, items=N)


@pytest.mark.parametrize("name", CELLS)
class TestEveryEmbedding:
    def test_predicts_held_out_answers(self, name, fitted, triplets):
        # a Gram matrix spreads noise-free answers over many dimensions, of which two are kept;
        # the lowest of 40 worlds are .80 and .88, the means .91 to .99
        assert fitted[name].score(triplets[1600:]) > (0.7 if name in GRAMS else 0.8)

    def test_shapes_and_learned_names(self, name, fitted, triplets):
        model = fitted[name]
        assert model.embedding_.shape == (N, model.n_components)
        assert np.isfinite(model.embedding_).all()
        assert model.items_ == triplets.items
        assert model.converged_
        assert model.n_iter_ >= 1
        assert model.loss_ >= 0
        assert (model.parts_ == 0).all()
        assert hasattr(model, "gram_") == (model.form == "gram")

    def test_probabilities(self, name, fitted, triplets):
        model, held_out = fitted[name], triplets[1600:]
        p = model.predict_proba(held_out)
        assert p.shape == (400, 2)
        np.testing.assert_allclose(p.sum(axis=1), 1.0)
        agrees = model.predict(held_out) == 0
        np.testing.assert_array_equal(agrees, p[:, 0] > 0.5)
        assert model.score(held_out) == pytest.approx(agrees.mean())
        assert model.log_loss(held_out) == pytest.approx(-np.log(p[:, 0]).mean())
        if not name.startswith(("GNMDS", "SOE")):  # by whose hinges nothing is likely
            assert model.log_loss(held_out) < np.log(2)

    def test_one_random_state_gives_one_result_on_any_number_of_threads(self, name, triplets):
        few = triplets[:300]
        settings = {"n_init": 3, "max_iter": 200, "tol": 1e-3}
        one = clone(CELLS[name]).set_params(**settings, n_jobs=1).fit(few)
        two = clone(CELLS[name]).set_params(**settings, n_jobs=2).fit(few)
        np.testing.assert_array_equal(one.embedding_, two.embedding_)

    def test_names_of_the_items_do_not_matter(self, name, triplets):
        """Of answers that no space satisfies: where one does, many do, and fits stop anywhere."""
        told = mistaken(triplets[:1600])
        order = np.random.default_rng(3).permutation(N)
        renamed = rs.Triplets(order[told.index], items=N)
        one, other = (clone(CELLS[name]).fit(answers) for answers in (told, renamed))
        assert other.loss_ == pytest.approx(one.loss_, rel=1e-4)

    @pytest.mark.filterwarnings("ignore::resemblance.errors.NotConvergedWarning")
    def test_quadruplets_with_a_shared_item_are_triplets(self, name, triplets):
        """The first steps are the same; many later ones would tell roundings apart."""
        rows = rs.Quadruplets(triplets.index[:, [0, 1, 0, 2]], items=N)
        start = SPACE if CELLS[name].n_components == 2 else "spectral"
        a, b = (
            clone(CELLS[name]).set_params(init=start, max_iter=3).fit(told)
            for told in (triplets, rows)
        )
        np.testing.assert_allclose(a.loss_, b.loss_, rtol=1e-9)

    def test_stops_early_with_a_warning_that_says_what_to_change(self, name, triplets):
        model = clone(CELLS[name]).set_params(max_iter=2)
        with pytest.warns(NotConvergedWarning, match=r"max_iter=2 .*raise max_iter, or tol"):
            model.fit(mistaken(triplets))
        assert not model.converged_

    def test_callback_hears_and_stops(self, name, triplets):
        told = []

        def callback(progress):
            told.append(progress)
            return len(told) == 3

        with pytest.warns(NotConvergedWarning, match="was stopped after"):
            model = clone(CELLS[name]).set_params(callback=callback).fit(mistaken(triplets))
        assert [p.iteration for p in told] == [1, 2, 3]
        assert model.n_iter_ == 3

    def test_warm_start_continues(self, name, triplets):
        model = clone(CELLS[name]).set_params(warm_start=True).fit(triplets)
        first = model.n_iter_
        before = model.loss_
        model.fit(triplets)
        assert model.loss_ <= before * 1.05 + 1e-12  # of answers without noise it may be 0
        assert model.n_iter_ <= first + 20


@pytest.mark.parametrize("name", [n for n in CELLS if not n.startswith(TWO_ONLY)])
def test_choices_of_one_among_many(name):
    rng = np.random.default_rng(0)
    rows = np.array([rng.choice(N, 6, replace=False) for _ in range(500)])
    d = np.linalg.norm(SPACE[rows[:, :1]] - SPACE[rows[:, 1:]], axis=2)
    chosen = rows[np.arange(500), 1 + d.argmin(axis=1)]
    choices = rs.Choices(rows[:, 0], rows[:, 1:], chosen, items=N)
    model = clone(CELLS[name]).fit(choices[:400])
    p = model.predict_proba(choices[400:])
    assert p.shape == (100, 5)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    assert model.score(choices[400:]) > 0.6  # chance is 0.2
    assert (model.predict(choices[400:]) == 0).mean() == pytest.approx(
        model.score(choices[400:]), abs=0.02
    )


@pytest.mark.parametrize("name", ["GNMDS-K", "SOE-X"])
def test_margin_models_refuse_choices(name):
    choices = rs.Choices([0, 1], [[1, 2, 3], [0, 2, 3]], [1, 2], items=4)
    with pytest.raises(SettingError, match="triplets_from_choices"):
        clone(CELLS[name]).fit(choices)


class TestBadInput:
    @pytest.mark.parametrize("n_components", [0, -1, N, 2.5])
    def test_number_of_components(self, n_components, triplets):
        with pytest.raises(SettingError, match=r"between 1 and 19"):
            rs.STE(n_components).fit(triplets)

    @pytest.mark.parametrize("n_components", [1, N - 1])
    def test_extreme_numbers_of_components_fit(self, n_components, triplets):
        model = rs.STE(n_components, penalty=0.1, random_state=0).fit(triplets)
        assert model.embedding_.shape == (N, n_components)

    def test_unknown_form_init_and_penalty(self, triplets):
        with pytest.raises(SettingError, match="'coordinates', 'gram'"):
            rs.STE(form="matrix").fit(triplets)
        with pytest.raises(SettingError, match="'spectral', 'lifted', 'features', 'random'"):
            rs.STE(init="best").fit(triplets)
        with pytest.raises(SettingError, match="penalty"):
            rs.STE(penalty=-1).fit(triplets)
        with pytest.raises(SettingError, match="n_init"):
            rs.STE(n_init=0).fit(triplets)
        with pytest.raises(SettingError, match=r"shape \(20, 2\)"):
            rs.STE(init=np.zeros((3, 2))).fit(triplets)
        with pytest.raises(SettingError, match="mu is 0"):
            rs.CKL(mu=0).fit(triplets)

    def test_disconnected_parts_fit_with_a_warning_that_names_them(self):
        rows = [[0, 1, 2], [1, 2, 0], [3, 4, 5], [5, 4, 3]]
        items = rs.Items(["a", "b", "c", "x", "y", "z"])
        with pytest.warns(DisconnectedWarning, match=r"\{a, b, c\}; \{x, y, z\}"):
            model = rs.TSTE(random_state=0).fit(rs.Triplets(rows, items=items))
        assert model.parts_.tolist() == [0, 0, 0, 1, 1, 1]

    @pytest.mark.parametrize("name", CELLS)
    def test_unmentioned_items_lie_at_the_centroid_and_are_flagged(self, name, triplets):
        rows = rs.Triplets(triplets.index, items=N + 2)
        with pytest.warns(UnmentionedWarning, match=r"\{20, 21\}"):
            model = clone(CELLS[name]).fit(rows)
        assert model.unmentioned_.tolist() == [20, 21]
        np.testing.assert_allclose(
            model.embedding_[20:], model.embedding_[:20].mean(axis=0)[None].repeat(2, 0), atol=1e-9
        )
        assert model.parts_[20:].tolist() == [-1, -1]

    def test_judgments_about_other_items(self, fitted):
        with pytest.raises(JudgmentError, match="unknown"):
            fitted["STE-X"].score(rs.Triplets([[0, 1, N]], items=N + 1))
        named = rs.Triplets([[0, 1, 2]], items=rs.Items(list("abc")))
        with pytest.raises(JudgmentError, match="'a' here and '0' there"):
            fitted["STE-X"].score(named)

    def test_not_fitted(self, triplets):
        with pytest.raises(ValueError, match="not fitted"):
            rs.STE().score(triplets)


def test_a_collapsed_embedding_scores_one_half(triplets):
    model = rs.STE().fit(triplets)
    model.embedding_ = np.zeros((N, 2))
    assert model.score(triplets) == 0.5
    assert (model.predict(triplets) == -1).all()


def test_positions_found_elsewhere_can_be_scored(triplets):
    model = rs.STE().set_positions(SPACE)
    assert model.score(triplets) == 1.0
    with pytest.raises(SettingError, match=r"embedding is an array of shape \(20, 2\)"):
        rs.STE(3).set_positions(SPACE)


def test_default_degrees_of_freedom(triplets):
    fitted = [rs.TSTE(d, random_state=0, tol=0.1).fit(triplets[:300]) for d in (1, 2, 3, 10)]
    assert [model.choice_.alpha for model in fitted] == [1, 1, 2, 9]


def test_recovers_the_space(triplets):
    for name in ("STE-X", "SOE-X"):
        model = clone(CELLS[name]).fit(triplets)
        assert rs.procrustes_distance(SPACE, model.embedding_) < 0.02
