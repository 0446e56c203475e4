import numpy as np
import pytest
from scipy.spatial.distance import pdist

import naive
from pairwise import pairwise
from resemblance.choice import (
    Exponential,
    Gaussian,
    Hinge,
    Logistic,
    Probit,
    Relative,
    Softmax,
    SquaredHinge,
    StudentT,
)
from resemblance.errors import SettingError
from resemblance.fitting.objective.objective import Objective, batches
from resemblance.forms import (
    READS,
    Coordinates,
    FeaturePrior,
    Form,
    Gram,
    KernelMap,
    LinearMap,
    MultiKernelMap,
    NonNegative,
    Tabled,
    quickest,
)
from resemblance.judgments import (
    Arrangements,
    Choices,
    Confusions,
    OddOneOuts,
    Quadruplets,
    Ratings,
    Triplets,
    join_judgments,
)

N = 7
MODELS = [
    (Hinge(1.0), 1.0),
    (Hinge(1.0, width=0.7), None),
    (Relative(0.3), 0.3),
    (Logistic(), None),
    (Softmax(), None),
    (StudentT(1.0), 1.0),
    (StudentT(2.5), 2.5),
    (SquaredHinge(1.0), 1.0),
    (Probit(), None),
]
CONFUSED = [Gaussian(), Gaussian(0.8, 0.1), Exponential(), Exponential(lapse=0.2)]
FEATURES = np.random.default_rng(5).normal(size=(N, 3))
VIEWS = {"a": FEATURES, "b": FEATURES[:, :2] ** 2}
FORMS = [
    Coordinates(),
    Coordinates(unit_norm=True),
    Coordinates(extent=0.5),
    Gram(),
    Gram(unit_diagonal=True),
    NonNegative(),
    NonNegative(0.3),
    LinearMap().bound(FEATURES, 0.3),
    KernelMap(bandwidth=1.5).bound(FEATURES, 0.3),
    MultiKernelMap({"a": "rbf", "b": None}).bound(VIEWS, 0.3),
    MultiKernelMap(diagonal=True).bound(VIEWS, 0.3),
    FeaturePrior(LinearMap(), 0.4).bound(FEATURES, 0.3),
    FeaturePrior(KernelMap(bandwidth=1.5), 0.7).bound(FEATURES, 0.3),
]


def ids(value):
    """Call a form by its settings, everything else as it is written."""
    if not isinstance(value, Form):
        return str(value[0] if isinstance(value, tuple) else value)
    settings = {k: v for k, v in vars(value).items() if np.isscalar(v)}
    return f"{type(value).__name__}{settings}"


def some_triplets(m=40, seed=0):
    rng = np.random.default_rng(seed)
    return Triplets(np.array([rng.choice(N, 3, replace=False) for _ in range(m)]), items=N)


def some_quadruplets(m=40, seed=0):
    rng = np.random.default_rng(seed)
    return Quadruplets(np.array([rng.choice(N, 4, replace=False) for _ in range(m)]), items=N)


def some_choices(m=30, seed=0):
    rng = np.random.default_rng(seed)
    rows = [rng.choice(N, 5, replace=False) for _ in range(m)]
    options = np.array([row[1:] for row in rows])
    options[: m // 2, 3] = -1
    return Choices([row[0] for row in rows], options, options[:, 0], items=N)


def some_odd_one_outs(m=30, seed=0):
    rng = np.random.default_rng(seed)
    shown = np.array([rng.choice(N, 5, replace=False) for _ in range(m)])
    shown[: m // 3, 3:] = -1
    shown[m // 3 : m // 2, 4] = -1
    return OddOneOuts(shown, shown[:, 1], items=N)


def some_confusions(seed=0):
    pairs = np.column_stack(np.triu_indices(N, 1))
    return Confusions(pairs, np.random.default_rng(seed).integers(0, 20, len(pairs)), 40, items=N)


def some_ratings(seed=0):
    pairs = np.column_stack(np.triu_indices(N, 1))
    rng = np.random.default_rng(seed)
    weight, who = rng.uniform(0.5, 2.0, len(pairs)), rng.choice(["", "ann", "bob"], len(pairs))
    points = rng.choice([4, 7], len(pairs))
    rating = rng.integers(1, points + 1)
    return Ratings(pairs, rating, points, items=N, weight=weight, observer=who)


def some_arrangements(m=12, seed=0):
    rng = np.random.default_rng(seed)
    shown = np.array([rng.choice(N, 6, replace=False) for _ in range(m)])
    shown[: m // 3, 3:] = -1
    shown[m // 3 : m // 2, 5] = -1
    weight = rng.uniform(0.5, 2.0, m)
    return Arrangements(shown, rng.normal(size=(m, 6, 2)), items=N, weight=weight)


KINDS = {
    "triplets": some_triplets(),
    "quadruplets": some_quadruplets(),
    "choices": some_choices(),
    "odd one outs": some_odd_one_outs(),
    "ratings": some_ratings(),
    "confusions": some_confusions(),
    "arrangements": some_arrangements(),
    "several": join_judgments([some_quadruplets(), some_arrangements(), some_triplets()]),
}
OF_PAIRS = "ratings", "confusions"
OF_MANY = "choices", "odd one outs"  # that a likelihood alone can fit


def params_of(form, d):
    """Start from positions whose directions are far apart: a root has no slope at distance 0."""
    rng = np.random.default_rng(d)
    draws = [rng.normal(size=(N, d)) for _ in range(50)]
    seen = (lambda X: np.maximum(X, 0.0)) if isinstance(form, NonNegative) else np.asarray
    apart = lambda X: min(pdist(X, "cosine").min(), pdist(seen(X)).min())  # noqa: E731
    return form.start(max(draws, key=apart))


def fits(kind, choice, *_):
    """Say whether a choice model can be fitted to a kind of judgments."""
    if kind in OF_MANY:
        return choice.one_of_many
    return choice.confuses if kind in OF_PAIRS else choice not in CONFUSED


@pytest.mark.parametrize(
    ("kind", "choice", "form", "d"),
    pairwise(list(KINDS), [m for m, _ in MODELS] + CONFUSED, FORMS, [2, 3], allowed=fits),
    ids=ids,
)
def test_gradient_of_every_choice_by_form(kind, choice, form, d):
    objective = Objective(batches(KINDS[kind]), choice, form, penalty=0.3)
    params = params_of(form, d)
    value, gradient = objective(params)
    rng = np.random.default_rng(9)
    for _ in range(5):
        step = rng.normal(size=params.shape)
        if isinstance(form, Gram):
            step = step + step.T  # a Gram matrix moves along symmetric directions only
        eps = 2e-7  # short, lest a hinge has its kink within the step
        slope = (objective(params + eps * step)[0] - objective(params - eps * step)[0]) / (2 * eps)
        assert np.vdot(gradient, step) == pytest.approx(slope, rel=2e-5, abs=1e-5)
    assert value > 0


@pytest.mark.parametrize(
    ("model", "kind", "d"),
    pairwise(
        [m for m in MODELS if not getattr(m[0], "width", 0)],
        ["triplets", "quadruplets"],
        [1, 2, 3, 4],
    ),
    ids=ids,
)
def test_objective_is_the_plain_sum(model, kind, d):
    choice, p = model
    X = np.random.default_rng(d).normal(size=(N, d))
    rows = KINDS[kind].index
    expected = naive.total_loss(type(choice).__name__, p, X, rows, choice.reads)
    for form in (Coordinates(), Gram()):
        value, _ = Objective(batches(KINDS[kind]), choice, form)(form.start(X))
        assert value == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("model", [m for m in MODELS if m[0].one_of_many], ids=ids)
def test_choices_have_their_own_likelihood(model):
    choice, p = model
    X = np.random.default_rng(1).normal(size=(N, 2))
    c = KINDS["choices"]
    index = c.index
    options = index[:, 1:]
    expected = naive.choice_loss(
        type(choice).__name__, p, X, index[:, 0], options, index[:, 1], choice.reads
    )
    value, _ = Objective(batches(c), choice, Coordinates())(X)
    assert value == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("choice", [Softmax(), Hinge(1.0)], ids=ids)
@pytest.mark.parametrize("form", FORMS, ids=ids)
def test_weights_equal_repeats(choice, form):
    t = KINDS["triplets"]
    w = np.random.default_rng(0).integers(0, 4, len(t))
    weighted = Triplets(t.index, items=N, weight=w.astype(float))
    repeated = Triplets(np.repeat(t.index, w, axis=0), items=N)
    params = params_of(form, 2)
    a, b = (Objective(batches(x), choice, form)(params) for x in (weighted, repeated))
    assert a[0] == pytest.approx(b[0], rel=1e-12)
    np.testing.assert_allclose(a[1], b[1], atol=1e-10)


def test_blocks_make_no_difference():
    t = some_triplets(20_000)
    X = np.random.default_rng(0).normal(size=(N, 2))
    whole = Objective(batches(t), Softmax(), Coordinates())(X)
    parts = [
        Objective(batches(t[i : i + 3_000]), Softmax(), Coordinates())(X)
        for i in range(0, 20_000, 3_000)
    ]
    assert whole[0] == pytest.approx(sum(p[0] for p in parts))
    np.testing.assert_allclose(whole[1], sum(p[1] for p in parts))


@pytest.mark.parametrize("reads", READS)
def test_gram_of_coordinates_has_their_distances(reads):
    X = np.random.default_rng(0).normal(size=(N, 3))
    a, b = (np.array(x, dtype=np.int32) for x in np.triu_indices(N, 1))
    out = np.empty((2, len(a)))
    Coordinates().distances(X, a, b, READS[reads], out[0])
    Gram().distances(X @ X.T, a, b, READS[reads], out[1])
    expected = [naive.distance(X, i, j, reads) for i, j in zip(a, b, strict=True)]
    np.testing.assert_allclose(out[0], expected)
    np.testing.assert_allclose(out[1], expected, atol=1e-12)


def test_penalty_is_the_trace():
    X = np.random.default_rng(0).normal(size=(N, 3))
    for form in (Coordinates(), Gram()):
        with_, without = (
            Objective(batches(KINDS["triplets"]), Softmax(), form, p) for p in (2.0, 0.0)
        )
        params = form.start(X)
        assert with_(params)[0] - without(params)[0] == pytest.approx(2.0 * (X**2).sum())


def test_long_dimensions_are_shrunk_less_from_an_extent_on():
    """By log(1 + s) / s for a dimension of s times the extent, in any axes."""
    rng, e = np.random.default_rng(0), 0.5
    axes, _ = np.linalg.qr(rng.normal(size=(N, 3)))
    turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    s = np.array([1e-6, 1.0, 9.0])
    X, form = axes * np.sqrt(N * e * s) @ turn, Coordinates(extent=e)
    assert form.penalty(X, X)[0] == pytest.approx(N * e * np.log1p(s).sum())
    assert form.stiffness(X) == pytest.approx(np.mean(1 / (1 + s)))
    wide = Coordinates(extent=1e9)
    assert wide.penalty(X, X)[0] == pytest.approx(np.vdot(X, X), rel=1e-6)
    assert wide.stiffness(X) == pytest.approx(Coordinates().stiffness(X))
    with pytest.raises(SettingError) as caught:
        Coordinates(extent=0.0)
    assert caught.value.setting == "extent"


def test_plain_distance_zero_has_no_slope():
    X = np.zeros((N, 2))
    value, gradient = Objective(batches(KINDS["triplets"]), SquaredHinge(), Coordinates())(X)
    assert value == pytest.approx(len(KINDS["triplets"]))
    assert np.all(gradient == 0)


class TestTables:
    """A table of all distances says what a loop over pairs says."""

    @pytest.mark.parametrize("choice", [Logistic(), Softmax(), StudentT(2.5)], ids=repr)
    @pytest.mark.parametrize(
        "form",
        [Coordinates(), Coordinates(unit_norm=True), Coordinates(extent=0.5), NonNegative(0.3)],
        ids=ids,
    )
    def test_the_objective_is_the_same(self, form, choice):
        X = np.random.default_rng(3).uniform(0.1, 1.0, (N, 3))
        for judgments in (some_triplets(), some_odd_one_outs(), some_choices()):
            data = batches(judgments)
            value, slope = Objective(data, choice, form, 0.2)(X)
            tabled = Tabled(form, READS[choice.reads])
            other, other_slope = Objective([b.by_item() for b in data], choice, tabled, 0.2)(X)
            assert other == pytest.approx(value, rel=1e-12)
            np.testing.assert_allclose(other_slope, slope, atol=1e-10)

    def test_taken_where_many_pairs_share_few_items(self):
        squared, plain = READS["squared"], READS["plain"]
        assert isinstance(quickest(Coordinates(), 100, 20, 100_000, squared), Tabled)
        assert isinstance(quickest(Coordinates(), 100, 20, 1000, squared), Coordinates)
        assert isinstance(quickest(Coordinates(), 100, 20, 100_000, plain), Coordinates)
        assert isinstance(quickest(Gram(), 100, 20, 100_000, squared), Gram)
        assert isinstance(quickest(Coordinates(), 20_000, 20, 10**12, squared), Coordinates)


@pytest.mark.parametrize("l1_ratio", [-0.1, 1.1, np.nan])
def test_the_share_of_the_l1_norm_is_a_share(l1_ratio):
    with pytest.raises(SettingError) as told:
        NonNegative(l1_ratio)
    assert told.value.setting == "l1_ratio"
