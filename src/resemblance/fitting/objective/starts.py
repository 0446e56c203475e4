"""Compute starting positions of descents: spectral, lifted, from features, or random."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any, Self, TypeGuard

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky, solve_triangular
from scipy.sparse import coo_array, csr_array, diags_array
from scipy.sparse.csgraph import shortest_path
from scipy.sparse.linalg import ArpackNoConvergence

from resemblance.arrays import Floats
from resemblance.choice import ChoiceModel, Softmax, SquaredHinge
from resemblance.errors import SettingError
from resemblance.fitting.objective.objective import (
    Batch,
    Objective,
    renumbered,
    scale_free,
    thinned,
)
from resemblance.forms import (
    READS,
    Coordinates,
    FeatureMap,
    FeaturePrior,
    Form,
    Gram,
    LinearMap,
    NonNegative,
    ShapedMap,
    Tabled,
)
from resemblance.forms._loops import sweep
from resemblance.geometry import (
    eigenvectors_between,
    landmark_positions,
    principal_axes,
    principal_rotation,
    some_eigenvectors,
)
from resemblance.solvers import Callback, Objective as Function, lbfgs, stochastic_descent

MOST_FEATURES = 2048  # up to this many features, sums of scatter matrices are faster
ROWS = 2048  # number of rows whose differences of features are computed at a time
LEAST = 1e-8  # ridge for constant features, relative to the mean squared difference
ENOUGH_ROWS = 1_000_000  # maximum number of rows for spectral starts
ROWS_PER_ITEM = 25  # number of rows per item for the first steps of a descent
FEW_ROWS = 20_000  # up to this many rows, further starts are cheap
MAP_ROWS = 100_000  # maximum number of rows for the start of a map
LANDMARKS = 300  # number of items in classical scaling; other items are placed later
ON_A_LINE = 6  # number of random starts of "auto" in one dimension, if rows are few
SPARE_COMPONENTS = 2
LIFT_ITERATIONS = 10
SETTLE_ITERATIONS = 15
LIFTED_ITERATIONS = 100
STEPS_TOL = 1e-5
DRAWING_ITERATIONS = 25  # number of iterations at each strength of the penalty on extra dimensions
# strengths of the penalty on extra dimensions, in units of loss / squared size
DRAWING_STRENGTHS = 1e-4 * 3.0 ** np.arange(20)
NOISE = 0.1  # noise in the start of loadings, as a share of a random start
# extra dimensions with less than this share of the other dimensions' spread are dropped
DRAWN_IN = 1e-3
STARTS = "spectral", "lifted", "features", "random"
Kept = dict[Any, tuple[Floats, Any]]  # cached starts, each with the state of the random generator
_kept: ContextVar[Kept] = ContextVar("kept")


def is_few_features(form: Form) -> TypeGuard[LinearMap]:
    return isinstance(form, LinearMap) and form.design.shape[1] <= MOST_FEATURES


def gap_scatters(form: FeatureMap, data: list[Batch]) -> tuple[Floats, Floats]:
    """Return the scatters w g g' summed over near pairs, and over far pairs, (q, q) each.

    g = phi_a - phi_b is the difference of the features of pair (a, b), and w its weight. Errors of
    confusions count as near, right answers as far.
    """
    q = form.design.shape[1]
    near, far = np.zeros((q, q)), np.zeros((q, q))
    for batch in (half for whole in data for half in whole.against_answer() or [whole]):
        for block in batch.blocks(ROWS):
            items, local = renumbered(block)
            phi = np.asarray(form.design[items], dtype=np.float64)
            # The one pair of confusions is used as near and as far.
            ends = [*local.pairs, *local.pairs][:2]
            weight = local.weight if local.weight.size else np.ones(len(local))
            weights = local.counts if len(local.pairs) == 1 else (weight, weight)
            for (a, b), w, total in zip(ends, weights, (near, far), strict=True):
                gap = phi[a] - phi[b]
                total += (w[:, None] * gap).T @ gap
    return near, far


def map_positions(form: FeatureMap, data: list[Batch], n_components: int) -> Floats:
    """Guess positions along directions in which far pairs differ more than near pairs.

    This is ``spectral_positions`` restricted to positions X = Phi B of features Phi. The columns of
    B are the leading solutions of (F - N) b = l (F + N) b, with length sqrt(l), where N and F are
    the scatters of near and far pairs from ``gap_scatters``.
    """
    near, far = gap_scatters(form, data)
    total = _regular(near + far, 0.0)
    p = min(n_components, len(near))
    n = len(near)
    values, vectors = eigenvectors_between(far - near, n - p, n - 1, total)
    least = 1e-2 * max(values[-1], LEAST)
    B = np.zeros((len(near), n_components))
    B[:, :p] = vectors[:, ::-1] * np.sqrt(np.maximum(values[::-1], least))
    X = form.expand(B)
    return np.asarray(X / np.sqrt(np.mean(X**2)))


@dataclass(frozen=True)
class Scale:
    """Scaled parameters C = L'B, which make the curvature of the objective similar everywhere.

    B are the parameters of the map. LL' = F + N + 2 mu I approximates the second derivative with
    respect to B; F and N are the scatters, and mu is the penalty. Without L, C is B.
    """

    lower: Floats | None = None

    @classmethod
    def of(cls, objective: Objective, data: list[Batch]) -> Self:
        form = objective.form
        if not is_few_features(form):
            return cls()
        near, far = gap_scatters(form, data)
        times = objective.n_rows / sum(map(len, data))
        scatter = _regular(times * (near + far), 2.0 * objective.penalty)
        return cls(cholesky(scatter, lower=True))

    def inside(self, B: Floats) -> Floats:
        return B if self.lower is None else self.lower.T @ B

    def outside(self, C: Floats) -> Floats:
        if self.lower is None:
            return C
        return solve_triangular(self.lower, C, lower=True, trans="T")

    def of_objective(self, objective: Function) -> Function:
        if self.lower is None:
            return objective

        def inside(C: Floats) -> tuple[float, Floats]:
            value, slope = objective(self.outside(C))
            return value, solve_triangular(self.lower, slope, lower=True)

        return inside

    def of_report(self, report: Callback | None) -> Callback | None:
        if self.lower is None or report is None:
            return report
        return lambda now: report(replace(now, x=self.outside(now.x)))


def _regular(scatter: Floats, penalty: float) -> Floats:
    least = LEAST * max(float(np.trace(scatter)) / len(scatter), 1e-12)
    return scatter + max(penalty, least) * np.eye(len(scatter))


@contextmanager
def keeping(starts: Kept) -> Iterator[None]:
    """Reuse spectral starts within the block, where all fits must have the same judgments."""
    token = _kept.set(starts)
    try:
        yield
    finally:
        _kept.reset(token)


def default_starts(form: Form, n_components: int, n_rows: int) -> tuple[str, ...]:
    """Return the starts of ``init="auto"``: more than one if local minima are likely.

    In one dimension, a descent rarely changes the order of items, so "lifted" and, if cheap, random
    starts are tried too. In two dimensions, "lifted" helps only with few judgments. A Gram matrix
    has no local minima under convex losses. With less than one judgment per item, features are the
    better start.
    """
    if _is_loadings(form) or (isinstance(form, FeaturePrior) and n_rows < len(form.design)):
        return ("spectral",)
    few = n_rows <= FEW_ROWS
    if isinstance(form, Gram) or n_components > 2 or (n_components == 2 and not few):
        return ("spectral",)
    return "spectral", "lifted", *["random"] * (ON_A_LINE if few and n_components == 1 else 0)


def _compare(data: list[Batch]) -> bool:
    return any(len(batch.pairs) > 1 for batch in data)


def _is_loadings(form: Form) -> bool:
    return isinstance(form.form if isinstance(form, Tabled) else form, NonNegative)


def checked_starts(init: Any, n_descents: int) -> list[Any]:
    named = isinstance(init, str | tuple) and all(isinstance(name, str) for name in init)
    starts = list(init) if named and not isinstance(init, str) else [init]
    if named and (not starts or not set(starts) <= set(STARTS)):
        raise SettingError(
            f"init is {init!r}: choose of {', '.join(map(repr, STARTS))} one or several (a tuple), "
            "or give an array of positions."
        )
    return starts + ["random"] * (n_descents - len(starts))


def spectral_positions(
    data: list[Batch], n_items: int, n_components: int, rng: np.random.Generator
) -> Floats:
    """Guess positions from counts of how often each pair was nearer or farther.

    This is classical scaling of counts. L is the Laplacian of a graph with weight +1 for each far
    pair and -1 for each near pair, which is the descent direction of the kernel K at K = 0. D is
    the diagonal matrix of the number of mentions of each item. Positions (n_items, n_components)
    are D^(-1/2) times the leading eigenvectors of D^(-1/2) L D^(-1/2), with mean square 1 per
    component, and 0 for unmentioned items. L is sparse: the cost is O(rows + n d).
    """
    L, mentions = signed_laplacian(thinned(data, ENOUGH_ROWS), n_items)
    root = np.sqrt(np.maximum(mentions, 1.0))
    scaled = diags_array(1.0 / root) @ L @ diags_array(1.0 / root)
    if n_components >= n_items - 1 or not np.abs(L.data).sum():  # all answers cancel out
        vectors = np.linalg.eigh(scaled.toarray())[1][:, ::-1][:, :n_components]
    else:
        try:
            values, vectors = some_eigenvectors(scaled, n_components, rng, which="LA", tol=1e-2)
            vectors = vectors[:, np.argsort(values)[::-1]]
        except ArpackNoConvergence as partial:
            vectors = rng.standard_normal((n_items, n_components))
            vectors[:, : partial.eigenvectors.shape[1]] = partial.eigenvectors
    X = np.where(mentions[:, None] > 0, vectors / root[:, None], 0.0)
    return np.asarray(X / np.maximum(np.sqrt((X**2).mean(axis=0)), 1e-12))


def signed_laplacian(data: list[Batch], n_items: int) -> tuple[csr_array, Floats]:
    """Return the Laplacian of far minus near pairs, and how often each item is mentioned."""
    rows, columns, signs = [], [], []
    for batch in (half for whole in data for half in whole.against_answer()):
        weight = batch.weight if batch.weight.size else np.ones(len(batch))
        for (a, b), sign in zip(batch.pairs, (-1.0, 1.0), strict=True):
            rows.append(a)
            columns.append(b)
            signs.append(sign * weight)
    i, j, w = np.concatenate(rows), np.concatenate(columns), np.concatenate(signs)
    W = coo_array((w, (i, j)), shape=(n_items, n_items)).tocsr()
    W = W + W.T
    mentions = np.asarray(sum(np.bincount(end, np.abs(w), n_items) for end in (i, j)), float)
    return csr_array(diags_array(W.sum(axis=1)) - W), mentions


def first_start(
    objective: Objective, shape: tuple[int, int], rng: np.random.Generator, features: Floats | None
) -> Floats:
    data = objective.data
    if features is not None:
        return feature_positions(features, shape[1], rng)
    if _is_loadings(objective.form):
        return loadings_start(data, shape, rng)
    if not _compare(data):
        X = confusion_positions(data[0], objective.choice, shape)
        return best_scale(data, objective.choice, Coordinates(), X) if data[0].layout.rated else X
    if is_few_features(objective.form):
        X = map_positions(objective.form, thinned(data, MAP_ROWS), shape[1])
        return best_scale(data, objective.choice, Coordinates(), X)
    return spectral_start(objective, shape, rng)


def further_start(objective: Objective, shape: tuple[int, int], rng: np.random.Generator) -> Floats:
    """Return random positions, improved by stochastic passes for comparisons."""
    if _is_loadings(objective.form):
        return rng.uniform(0.0, 2.0 / np.sqrt(shape[1]), shape)
    if not _compare(objective.data):
        return rng.normal(size=shape)
    return stochastic_start(objective, rng.normal(0.0, 0.1, shape), rng)


def feature_positions(features: Floats, n_components: int, rng: np.random.Generator) -> Floats:
    """Return features as positions, (n_items, n_components).

    More features than components are replaced by their principal components; if there are fewer
    features, N(0, 1) columns are added.

    Source: Xu, Zhu & Rogers 2012 (Yada), section 3.3.
    """
    n, d = features.shape
    if d > n_components:
        return principal_axes(features)[:, :n_components]
    return np.column_stack([features, rng.normal(size=(n, n_components - d))])


def confusion_positions(batch: Batch, choice: ChoiceModel, shape: tuple[int, int]) -> Floats:
    """Guess positions from confusions by classical scaling.

    The distance of a pair is -log of (a + 1/2) / (n + 1), relative to the largest such share, where
    a of n trials are errors (or a of n steps of a rating scale are below the rating). For a choice
    model of squared distances, the square root of this distance is used. Pairs without trials get
    the length of the shortest path. With more than 300 items, only landmarks are scaled, and other
    items are placed relative to them.
    """
    pairs, row = np.unique(np.sort(batch.pairs[0], axis=0), axis=1, return_inverse=True)
    hits, rest = (np.bincount(row.ravel(), column) for column in batch.counts)
    share = (hits + 0.5) / (hits + rest + 1.0)
    gap = np.log(share.max() / share) + 1e-6
    gap = np.sqrt(gap) if choice.reads == "squared" else gap
    graph = coo_array((gap, tuple(pairs)), shape=(shape[0], shape[0])).tocsr()
    mentioned = np.unique(pairs) if shape[0] > LANDMARKS else np.arange(shape[0])
    landmarks = mentioned[:: -(-len(mentioned) // LANDMARKS)]
    D = shortest_path(graph, directed=False, indices=landmarks)
    near = np.isfinite(D)
    D = np.where(near, D, 2.0 * D[near].max())
    return landmark_positions(D, landmarks, shape[1])


def loadings_start(data: list[Batch], shape: tuple[int, int], rng: np.random.Generator) -> Floats:
    """Guess non-negative loadings from eigenvectors of counts of near minus far pairs.

    The mean inner product is 1. Noise is added, because a descent leaves 0 slowly. Source:
    Boutsidis & Gallopoulos 2008 (NNDSVD), applied to a signed matrix.
    """
    n, d = shape
    L, mentions = signed_laplacian(thinned(data, ENOUGH_ROWS), n)
    root = diags_array(1.0 / np.sqrt(np.maximum(mentions, 1.0)))
    near_less_far = root @ (L - diags_array(L.diagonal())) @ root
    if not abs(near_less_far).sum():  # all answers cancel each other out
        return np.asarray(NOISE * rng.uniform(0.0, 2.0 / np.sqrt(d), shape))
    k = min(-(-d // 2), n - 2)
    values, vectors = some_eigenvectors(near_less_far, k, rng, which="LA", tol=1e-2)
    V = vectors[:, ::-1] * np.sqrt(np.maximum(values[::-1], 0.0))
    halves = np.stack([np.maximum(V, 0.0), np.maximum(-V, 0.0)], axis=2).reshape(n, -1)[:, :d]
    X = np.pad(halves, ((0, 0), (0, d - halves.shape[1])))
    X = X / max(np.sqrt(np.mean(X.sum(axis=0) ** 2)) * np.sqrt(d) / n, 1e-12)
    return np.asarray(X + NOISE * rng.uniform(0.0, 2.0 / np.sqrt(d), shape))


def best_scale(
    data: list[Batch], choice: ChoiceModel, form: Form, X: Floats, penalty: float = 0.0
) -> Floats:
    """Scale positions by the power of two with the lowest objective on a sample of rows.

    If the loss does not depend on the scale, the mean squared length is set to 1. From a start with
    a higher loss than all items at one point, the first step could end at that point.
    """
    if scale_free(data):
        return np.asarray(X / max(np.sqrt((X**2).sum(axis=1).mean()), 1e-12))
    sample = thinned(data, FEW_ROWS)
    objective = Objective(sample, choice, form, penalty * _share(sample, data))
    scales = 2.0 ** np.arange(-5, 4)
    # FeaturePrior.start is slow but linear in X, so one call is enough for all scales.
    start = form.start(X) if isinstance(form, FeaturePrior) else None
    losses = [objective(form.start(s * X) if start is None else s * start)[0] for s in scales]
    return np.asarray(scales[int(np.argmin(losses))] * X)


def spectral_start(
    objective: Objective, shape: tuple[int, int], rng: np.random.Generator
) -> Floats:
    """Return spectral positions, improved by a few cheap steps with two extra components.

    These steps minimise the squared hinge of plain distances (SOE) for any choice model, because it
    orders distances fastest. Extra dimensions avoid local minima. They are removed one by one,
    along the shortest principal axis.
    """
    data = objective.data
    kept = _kept.get({})
    key = shape, repr(rng.bit_generator.state)
    if key not in kept:
        kept[key] = _spectral_order(data, shape, rng), rng.bit_generator.state
    X, rng.bit_generator.state = kept[key]
    return best_scale(data, objective.choice, objective.form, X, objective.penalty)


def _spectral_order(data: list[Batch], shape: tuple[int, int], rng: np.random.Generator) -> Floats:
    n_items, n_components = shape
    sample = [
        h for b in thinned(data, max(ROWS_PER_ITEM * n_items, FEW_ROWS)) for h in b.against_answer()
    ]
    spare = min(SPARE_COMPONENTS, n_items - 1 - n_components)
    easy = Objective(sample, SquaredHinge(), Coordinates())
    X = spectral_positions(data, n_items, n_components + spare, rng)
    X = best_scale(sample, easy.choice, easy.form, X)
    for left in reversed(range(n_components, n_components + spare)):
        X = principal_axes(_steps(easy, X, LIFT_ITERATIONS))[:, :left]
    return _steps(easy, X, SETTLE_ITERATIONS)


def lifted_start(objective: Objective, shape: tuple[int, int], rng: np.random.Generator) -> Floats:
    """Return positions from a descent with two extra dimensions, (n_items, n_components).

    Extra dimensions let items pass around each other, and are then shrunk to 0 by a penalty of
    lambda times the squared size of the extra principal axes, where lambda is tripled every 25
    iterations. In one dimension a softmax model is fitted in this way too, because it finds the
    right order most often, and the better result is returned.
    """
    data = objective.data
    # coordinates of a shaped map have a meaning, so they cannot be rotated
    if isinstance(objective.form, ShapedMap):
        return first_start(objective, shape, rng, None)
    sample = [batch.of_one_person() for batch in thinned(data, FEW_ROWS)]
    plain = Coordinates(extent=objective.form.extent)
    form = objective.form if isinstance(objective.form, FeatureMap) else plain
    own = Objective(sample, objective.choice, form, objective.penalty * _share(sample, data))
    models = [objective.choice]
    if shape[1] == 1 and objective.choice.compares and not isinstance(objective.choice, Softmax):
        models.append(Softmax())
    starts = []
    for choice in models:
        X = form.expand(_drawn_in(own.with_choice(choice), shape, rng))
        if choice is not objective.choice:
            X = best_scale(sample, objective.choice, form, X, own.penalty)
        params = _steps(own, form.start(X), SETTLE_ITERATIONS)
        starts.append((own(params)[0], form.expand(params)))
    return min(starts, key=lambda start: start[0])[1]


def _drawn_in(objective: Objective, shape: tuple[int, int], rng: np.random.Generator) -> Floats:
    data = objective.data
    (n_items, p), form = shape, objective.form
    lifted = n_items, p + max(0, min(SPARE_COMPONENTS, n_items - 1 - p))
    if not _compare(data):
        X = confusion_positions(data[0], objective.choice, lifted)
        rated = data[0].layout.rated
        X = best_scale(data, objective.choice, form, X, objective.penalty) if rated else X
    else:
        X = spectral_positions(data, *lifted, rng)
        X = best_scale(data, objective.choice, form, X, objective.penalty)
    params = _steps(objective, form.start(X), LIFTED_ITERATIONS)
    centred = objective.choice.reads != "inner"
    params = params @ principal_rotation(form.expand(params), centred)[0]
    unit = objective(params)[0] / max(float(np.vdot(params, params)), 1e-300)
    for strength in unit * DRAWING_STRENGTHS:
        params = _steps(_charged(objective, p, strength), params, DRAWING_ITERATIONS)
        spread = form.expand(params).std(axis=0)
        if spread[p:].max(initial=0.0) <= DRAWN_IN * spread[:p].max():
            break
    return np.ascontiguousarray(params[:, :p])


def _charged(objective: Objective, n_kept: int, strength: float) -> Function:
    def charged(params: Floats) -> tuple[float, Floats]:
        value, slope = objective(params)
        spare = np.zeros_like(params)
        spare[:, n_kept:] = strength * params[:, n_kept:]
        return value + float(np.vdot(spare, params)), slope + 2.0 * spare

    return charged


def _share(sample: list[Batch], data: list[Batch]) -> float:
    return sum(map(len, sample)) / max(sum(map(len, data)), 1)


def _steps(objective: Function, X: Floats, n_steps: int) -> Floats:
    solution = lbfgs(objective, X, max_iter=n_steps, tol=STEPS_TOL)
    if solution.interrupted:
        raise KeyboardInterrupt
    return solution.x


def stochastic_start(objective: Objective, X: Floats, rng: np.random.Generator) -> Floats:
    """Improve positions by stochastic passes over the comparisons, in random order."""
    halves = [half for whole in objective.data for half in whole.against_answer()]
    mixed = [half[rng.permutation(len(half))] for half in halves]
    columns = [(_columns(half), half.weight) for half in mixed]
    squares = np.full(X.shape, 1e-3)
    code, reads = objective.choice.code, READS[objective.choice.reads]

    def one_pass(X: Floats, rate: float) -> None:
        for pairs, weight in columns:
            sweep(X, squares, pairs, weight, code, reads, rate)

    return stochastic_descent(one_pass, lambda X: objective(objective.form.start(X))[0], X)


def _columns(batch: Batch) -> NDArray[np.int32]:
    (a, b), (c, d) = batch.pairs
    return np.stack([a, b, d] if np.array_equal(a, c) else [a, b, c, d])
