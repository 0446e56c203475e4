"""Yada: confusions to a map, on features seen and unseen."""

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, KFold

import resemblance as rs
from resemblance.errors import ConstantFeatureWarning, JudgmentError, SettingError


def world(n=12, trials=200, seed=0, psi=None):
    """One feature, seen through its exponential; counts of all pairs."""
    x = np.linspace(-1, 1, n)[:, None]
    seen = np.exp(x)
    pairs = np.column_stack(np.triu_indices(n, 1))
    d = np.abs(seen[pairs[:, 0]] - seen[pairs[:, 1]]).ravel()
    p = (psi or rs.choice.Gaussian()).error_probability(d**2)
    errors = np.random.default_rng(seed).binomial(trials, p)
    return rs.Confusions(pairs, errors, trials, rs.Items(features=x)), seen


@pytest.fixture(scope="module")
def counts():
    return world()[0]


def test_the_map_is_found_and_holds_between_the_stimuli():
    confusions, _ = world(trials=100_000)
    yada = rs.Yada(1, penalty=1e-6).fit(confusions)
    x = np.linspace(-0.95, 0.95, 40)[:, None]
    found, true = yada.transform(x).ravel(), np.exp(x).ravel()
    sign = np.sign(np.corrcoef(found, true)[0, 1])
    np.testing.assert_allclose(sign * (found - found[0]), true - true[0], atol=0.03)


def test_transform_of_the_stimuli_is_their_embedding(counts):
    for kernel in ("rbf", "linear", "polynomial"):
        yada = rs.Yada(1, kernel=kernel).fit(counts)
        np.testing.assert_allclose(yada.transform(counts.items.features), yada.embedding_)


@pytest.mark.parametrize("choice", ["gaussian", "exponential"])
def test_the_penalty_is_that_of_the_paper(counts, choice):
    """loss = -log-likelihood + mu Tr(W K W'), W from the positions, equation 22."""
    yada = rs.Yada(2, bandwidth=0.4, penalty=0.3, choice=choice, random_state=0).fit(counts)
    K = rs.geometry.kernel_matrix(counts.items.features, bandwidth=0.4)
    W = yada.form_._whiten @ yada.components_  # phi(x) = W'k(x), up to a shift
    likelihood = yada.score(counts) * counts.trials.sum()
    assert yada.loss_ == pytest.approx(-likelihood + 0.3 * np.trace(W.T @ K @ W), rel=1e-9)


def test_a_precomputed_kernel_gives_the_same_map(counts):
    X = counts.items.features
    K = rs.geometry.kernel_matrix(X, bandwidth=0.5)
    given = rs.Confusions(counts.index, counts.errors, counts.trials, rs.Items(features=K))
    start = np.column_stack([X])
    known = rs.Yada(1, bandwidth=0.5, init=start, tol=1e-10).fit(counts)
    other = rs.Yada(1, kernel="precomputed", init=start, tol=1e-10).fit(given)
    np.testing.assert_allclose(known.embedding_, other.embedding_, atol=1e-6)
    new = np.array([[0.123]])
    K_new = rs.geometry.kernel_matrix(new, X, bandwidth=0.5)
    np.testing.assert_allclose(known.transform(new), other.transform(K_new), atol=1e-6)


def test_a_callable_kernel_and_all_landmarks_give_the_same_map(counts):
    settings = {"penalty": 0.01, "tol": 1e-10}
    named = rs.Yada(1, kernel="rbf", **settings).fit(counts)
    called = rs.Yada(1, kernel=lambda X, Y: np.exp(-((X - Y.T) ** 2) / 2), **settings).fit(counts)
    marked = rs.Yada(1, landmarks=12, **settings).fit(counts)
    for other in (called, marked):  # in 30 worlds 1e-7 and 2e-4 apart at most
        assert other.loss_ == pytest.approx(named.loss_, rel=1e-6)
        np.testing.assert_allclose(named.embedding_, other.embedding_, atol=1e-3)


def test_few_landmarks_come_close(counts):
    few = rs.Yada(1, landmarks=6).fit(counts)
    assert few.score(counts) == pytest.approx(rs.Yada(1).fit(counts).score(counts), abs=0.005)


@pytest.mark.parametrize(("p", "d"), [(1, 1), (1, 3), (3, 1)])
def test_any_dimension_of_features_and_space(p, d):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(8, d))
    pairs = np.column_stack(np.triu_indices(8, 1))
    confusions = rs.Confusions(pairs, rng.integers(0, 20, 28), 40, rs.Items(features=X))
    yada = rs.Yada(p, random_state=0).fit(confusions)
    assert yada.embedding_.shape == (8, p)
    again = rs.Yada(p, random_state=0).fit(confusions)
    np.testing.assert_array_equal(yada.embedding_, again.embedding_)


def test_lapses_are_allowed_for():
    confusions, seen = world(psi=rs.choice.Gaussian(lapse=0.2), trials=5000)
    errors = [
        np.abs(np.abs(np.subtract.outer(*[m.embedding_.ravel()] * 2)) - np.abs(seen - seen.T)).max()
        for m in (rs.Yada(1, penalty=1e-4, lapse=lapse).fit(confusions) for lapse in (0.0, 0.2))
    ]
    assert errors[1] < 0.5 * errors[0]


def test_score_is_the_mean_log_likelihood_of_a_trial(counts):
    yada = rs.Yada(1).fit(counts)
    p = yada.predict_proba(counts)
    assert (p.sum(axis=1) == 1).all()
    right = counts.trials - counts.errors
    likelihood = counts.errors @ np.log(p[:, 0]) + right @ np.log(p[:, 1])
    assert yada.score(counts) == pytest.approx(likelihood / counts.trials.sum())
    assert yada.log_loss(counts) == -yada.score(counts)


def test_comparisons_are_fitted_by_a_map_too():
    """Errors are lower by .09 (deviation .04) in 30 worlds; this is the mean of two."""
    gains = []
    for seed in range(2):
        rng = np.random.default_rng(seed)
        X = rng.uniform(-1, 1, size=(30, 2))
        person = rs.SpaceObserver(4.0 * np.column_stack([X[:, 0], X[:, 1] ** 3]), random_state=seed)
        known = np.array([rng.choice(20, 3, replace=False) for _ in range(3000)])
        new = np.array([rng.choice(np.arange(20, 30), 3, replace=False) for _ in range(500)])
        learned, unseen = (person.answer(asked).index for asked in (known, new))
        answers = rs.Triplets(learned, rs.Items(features=X))
        errors = [
            rs.triplet_error(rs.STE(2, form=form, random_state=0).fit(answers).transform(X), unseen)
            for form in ("kernel", rs.forms.KernelMap(landmarks=15))
        ]
        gains.append(rs.triplet_error(X, unseen) - np.array(errors))
    assert (np.mean(gains, axis=0) > 0.01).all()


def test_a_feature_that_never_varies_is_told(counts):
    X = np.column_stack([counts.items.features, np.ones(12)])
    flat = rs.Confusions(counts.index, counts.errors, counts.trials, rs.Items(features=X))
    with pytest.warns(ConstantFeatureWarning, match="column 1"):
        yada = rs.Yada(1, random_state=0).fit(flat)
    plain = rs.Yada(1, random_state=0).fit(counts)
    assert yada.score(counts) == pytest.approx(plain.score(counts), abs=1e-3)


def test_a_map_connects_what_no_judgment_does(counts, recwarn):
    part = (counts.index < 5).all(axis=1) | (counts.index >= 7).all(axis=1)
    yada = rs.Yada(1).fit(counts[part])
    assert not recwarn
    assert (yada.parts_ == 0).all()


def test_items_without_features_get_positions_as_each_its_own_feature(counts):
    rows = counts.index, counts.errors, counts.trials
    free = rs.Yada(1, penalty=0.1).fit(rs.Confusions(*rows))
    own = rs.Items(features=np.eye(counts.n_items))
    linear = rs.Yada(1, kernel="linear", penalty=0.1).fit(rs.Confusions(*rows, own))
    assert free.loss_ == pytest.approx(linear.loss_, rel=1e-4)
    with pytest.raises(SettingError, match="no map of features"):
        free.transform([[0.0]])


def test_bad_input_is_refused(counts):
    bare = rs.Confusions(counts.index, counts.errors, counts.trials)
    with pytest.raises(SettingError, match="the items have none"):
        rs.Yada(one_to_one=True).fit(bare)
    views = rs.Items(features={"a": counts.items.features, "b": counts.items.features})
    with pytest.raises(JudgmentError, match="several views"):
        rs.Yada().fit(rs.Confusions(counts.index, counts.errors, counts.trials, views))
    with pytest.raises(SettingError, match="choose 'gaussian', 'exponential'"):
        rs.Yada(choice="cosine").fit(counts)
    with pytest.raises(SettingError, match="penalty"):
        rs.Yada(penalty=-1.0).fit(counts)
    with pytest.raises(SettingError, match="landmarks is 99"):
        rs.Yada(landmarks=99).fit(counts)
    many = rs.Items(features=np.arange(20_001.0)[:, None])
    with pytest.raises(SettingError, match="20001 items with each other"):
        rs.Yada(1).fit(rs.Confusions([[0, 1]], [1], 4, many))
    crooked = rs.Items(features=np.arange(144.0).reshape(12, 12))
    matrix = rs.Confusions(counts.index, counts.errors, counts.trials, crooked)
    with pytest.raises(SettingError, match="not symmetric"):
        rs.Yada(kernel="precomputed").fit(matrix)
    with pytest.raises(SettingError, match="reads confusions"):
        rs.Yada().fit(rs.Triplets([[0, 1, 2]], rs.Items(features=np.eye(3))))
    with pytest.raises(SettingError, match="no probability"):
        rs.GNMDS().fit(counts)
    with pytest.raises(SettingError, match="no map of features"):
        rs.TSTE(1).fit(counts).transform(counts.items.features)


def test_an_unknown_choice_model_is_found_by_cross_validation():
    for name, psi in (("gaussian", rs.choice.Gaussian()), ("exponential", rs.choice.Exponential())):
        x = np.linspace(-1, 1, 12)[:, None]
        pairs = np.column_stack(np.triu_indices(12, 1))
        gap = np.abs(np.diff(np.exp(x)[pairs, 0]))[:, 0]
        p = psi.error_probability(gap**2 if psi.reads == "squared" else gap)
        errors = np.random.default_rng(0).binomial(400, p)
        known = rs.Confusions(pairs, errors, 400, rs.Items(features=x))
        grid = {"choice": ["gaussian", "exponential"], "penalty": [1e-3, 1e-1]}
        folds = KFold(5, shuffle=True, random_state=0)
        search = GridSearchCV(rs.Yada(1, random_state=0), grid, cv=folds).fit(known)
        assert search.best_params_["choice"] == name


def folded_line():
    x = np.linspace(-1, 1, 17)[:, None]
    seen = 0.6 * np.cos(5 * np.pi * x) + 0.5 * x  # the paper's 1D-cos
    pairs = np.column_stack(np.triu_indices(17, 1))
    gap = np.abs(np.diff(seen[pairs, 0]))[:, 0]
    p = rs.choice.Exponential().error_probability(gap)
    errors = np.random.default_rng(0).binomial(300, p)
    return seen, rs.Confusions(pairs, errors, 300, rs.Items(features=x))


@pytest.mark.parametrize("choice", ["exponential", "gaussian"])
def test_a_line_that_folds_over_itself_is_found(choice):
    """The default fit is as good as the best of many random starts, and finds the line."""
    seen, folded = folded_line()
    settings = {"choice": choice, "bandwidth": 0.25, "penalty": 1e-3}
    found = rs.Yada(1, random_state=0, **settings).fit(folded)
    others = rs.Yada(1, init="random", n_init=20, random_state=0, **settings).fit(folded).loss_
    assert found.loss_ <= 1.0005 * others  # as near as descents come, at their default tol
    assert rs.procrustes_distance(seen, found.embedding_) < 0.02


def test_items_pass_each_other_while_the_peak_is_round():
    """Of 45 random descents 41 end at the least loss, of such without rounding nine."""
    _, folded = folded_line()
    settings = {"choice": "exponential", "bandwidth": 0.25, "penalty": 1e-3, "n_init": 1}
    losses = [
        rs.Yada(1, init="random", random_state=seed, **settings).fit(folded).loss_
        for seed in range(12)
    ]
    assert np.sort(losses)[4] <= 1.001 * min(losses)


def test_the_exponential_on_a_line_starts_twelve_times(counts):
    told = []
    settings = {"random_state": 0, "callback": lambda now: told.append(now.restart)}
    for choice, n_components, descents in (
        ("exponential", 1, 12),
        ("gaussian", 1, 4),
        ("exponential", 2, 4),
    ):
        told.clear()
        rs.Yada(n_components, choice=choice, **settings).fit(counts)
        assert set(told) == set(range(descents))


def test_descents_start_from_each_name_given_and_the_best_is_kept(counts):
    names = ("features", "spectral")
    losses = [rs.Yada(1, init=name, n_init=1).fit(counts).loss_ for name in names]
    assert rs.Yada(1, init=names, n_init=1).fit(counts).loss_ == pytest.approx(min(losses))
    with pytest.raises(rs.errors.SettingError, match="one or several"):
        rs.Yada(1, init=("features", "elsewhere")).fit(counts)


def test_held_out_and_a_guess_are_of_random_pairs():
    pairs = np.column_stack(np.triu_indices(8, 1))
    rng = np.random.default_rng(0)
    errors = rng.binomial(20, 0.2, len(pairs))
    rows = np.concatenate([pairs, pairs])
    counted = np.concatenate([errors, np.full(len(pairs), 10)])  # chosen pairs are harder
    strategy = np.repeat(["random", "predictive"], len(pairs))
    counts = rs.Confusions(rows, counted, 20, extra={"strategy": strategy})
    held = rs.analyse(counts, "yada", dims=1, folds=4).as_dict()["held_out"]
    assert held["of"] == "random questions"
    p = errors.sum() / (20 * len(pairs))
    assert held["guessing"]["log_likelihood"] == pytest.approx(
        p * np.log(p) + (1 - p) * np.log1p(-p)
    )
    assert held["own_ratios"] == counts[: len(pairs)].own_ratios
