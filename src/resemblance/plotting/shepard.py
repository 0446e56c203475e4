"""Plot the Shepard diagram: answers against distances in the space."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from scipy.special import expit

from resemblance.arrays import Floats
from resemblance.errors import SettingError
from resemblance.fitting.objective.checks import check_same_items
from resemblance.plotting.canvas import INK, LIGHT, MUTED, bare, legend_of, new_axes, note, title_of
from resemblance.ranges import check, integers

if TYPE_CHECKING:
    from resemblance.judgments import JudgedPairs, Judgments, PairRanks


LEAST = 20  # smallest number of answers in a bin, if there are that many answers


def plot_shepard(
    model: Any,
    judgments: Judgments | JudgedPairs | PairRanks,
    ax: Axes | None = None,
    *,
    n_bins: int = 12,
    title: str | None = None,
) -> Axes:
    """Plot answers against the distances of a fitted space.

    - Confusions: a dot for each pair, its share of errors against its distance; the area of a dot
      is proportional to its trials. A line shows the choice model.
    - Ratings: a dot for each rating, as a share of the scale; a line shows the expected rating.
    - Ranked pairs: rank against distance, and the isotonic regression.
    - Comparisons: answers sorted by the difference of the two distances, farther minus nearer, in
      bins with equally many answers. A dot is the share of answers that chose the nearer option,
      with two standard errors; the line is the model's expectation. Choices of one among N options
      count as N - 1 comparisons. Odd ones out count as comparisons of the remaining pair with each
      pair that includes the odd item.

    Parameters
    ----------
    model : fitted embedding or mapping
        A model with ``embedding_``; for confusions and comparisons also with ``choice_``.
    judgments : Confusions, Ratings, PairRanks, Triplets, Quadruplets, Choices or OddOneOuts
        Answers; preferably answers that the model was not fitted to.
    ax : matplotlib Axes, optional
        Where to draw; by default on a new figure.
    n_bins : int
        The largest number of bins of comparisons; a bin has 20 answers or more.
    title : str, optional
        Title of the picture.

    Raises
    ------
    SettingError
        If there is no such diagram for this kind of judgments.
    JudgmentError
        If the judgments are about other items than the fit.

    References
    ----------
    Shepard 1962, The analysis of proximities; the bins of comparisons are our own.

    Examples
    --------
    >>> import resemblance as rs
    >>> line = [[0, 1, 2], [0, 1, 3], [1, 0, 3], [2, 3, 0], [3, 2, 0], [3, 2, 1]]
    >>> model = rs.STE(1, random_state=0).fit(line)
    >>> plot_shepard(model, rs.Triplets(line)).get_ylabel()
    'share that chose the nearer'
    """
    answers: Any = judgments
    check_same_items(answers, model.items_)
    ax = new_axes((6.0, 4.2)) if ax is None else ax
    X, kind = np.asarray(model.embedding_, float), type(judgments).__name__
    if kind == "Confusions":
        _draw_counts(ax, X, judgments, model.choice_, "share of errors")
    elif kind == "Ratings":
        _draw_ratings(ax, X, judgments, model)
    elif kind == "PairRanks":
        _draw_ranks(ax, X, judgments)
    elif kind in ("Triplets", "Quadruplets", "Choices", "OddOneOuts"):
        _draw_comparisons(ax, X, judgments, model.choice_, n_bins)
    else:
        raise SettingError(
            f"{kind} have no Shepard diagram: give Confusions, Ratings, PairRanks, Triplets, "
            "Quadruplets, Choices or OddOneOuts."
        )
    bare(ax, "left", "bottom")
    title_of(ax, title)
    return ax


def _lengths(X: Floats, pairs: Any, reads: str = "plain") -> Floats:
    a, b = X[pairs[0]], X[pairs[1]]
    if reads == "inner":
        return -np.einsum("md,md->m", a, b)  # The larger this value, the more similar the items.
    squared = ((a - b) ** 2).sum(axis=1)
    return np.sqrt(squared) if reads == "plain" else squared


def _draw_counts(ax: Axes, X: Floats, counts: Any, choice: Any, what: str) -> None:
    d, (at, read) = _lengths(X, counts.index.T), _along(X, counts, choice)
    area = np.clip(60 * counts.trials / counts.trials.max(), 4, 60)
    ax.scatter(d, counts.ratio, s=area, color=LIGHT[0], alpha=0.55, lw=0)
    ax.plot(at, choice.error_probability(read), color=INK, lw=1.4)
    ax.set(xlabel="distance", ylabel=what, xlim=(0, at[-1]), ylim=(-0.02, None))
    note(ax, f"{len(counts):,} pairs", (1, 1), (0, 4), ha="right", va="bottom")


def _draw_ratings(ax: Axes, X: Floats, ratings: Any, model: Any) -> None:
    thresholds = getattr(model, "thresholds_", None)
    if thresholds is None:
        raise SettingError(
            "the model was fitted without ratings, so it has no thresholds: fit it to ratings, "
            "alone or with other judgments."
        )
    d, (at, read) = _lengths(X, ratings.index.T), _along(X, ratings, model.choice_)
    ax.scatter(d, ratings.ratio, s=14, color=LIGHT[0], alpha=0.55, lw=0)
    points, counts = np.unique(ratings.points, return_counts=True)
    scale = thresholds.scale(int(points[counts.argmax()]))
    expected = expit(scale.odds(model.choice_.log_share(read)[0])).mean(axis=1)
    ax.plot(at, expected, color=INK, lw=1.4)
    ax.set(xlabel="distance", ylabel="rating, share of the scale", xlim=(0, at[-1]))
    note(ax, f"{len(ratings):,} ratings", (1, 1), (0, 4), ha="right", va="bottom")


def _along(X: Floats, judgments: Any, choice: Any) -> tuple[Floats, Floats]:
    at = np.linspace(0.0, _lengths(X, judgments.index.T).max() * 1.03, 200)
    return at, at**2 if choice.reads == "squared" else at


def _draw_ranks(ax: Axes, X: Floats, ranks: Any) -> None:
    from sklearn.isotonic import isotonic_regression

    d = _lengths(X, ranks.index.T)
    order = np.argsort(ranks.ranks, kind="stable")
    curve = isotonic_regression(d[order])
    ax.scatter(d, ranks.ranks, s=14, color=LIGHT[0], alpha=0.55, lw=0)
    ax.plot(curve, ranks.ranks[order], color=INK, lw=1.4)
    ax.set(xlabel="distance", ylabel="rank (1 is the most similar)", xlim=(0, None))


def _draw_comparisons(ax: Axes, X: Floats, judgments: Any, choice: Any, n_bins: int) -> None:
    gaps, agrees, expected = _compared(X, judgments, choice)
    bins = np.array_split(np.argsort(gaps, kind="stable"), _bins(len(gaps), n_bins))
    x = np.array([gaps[rows].mean() for rows in bins])
    share = np.array([agrees[rows].mean() for rows in bins])
    error = 2 * np.sqrt(share * (1 - share) / [len(rows) for rows in bins])
    ax.errorbar(x, share, error, fmt="o", color=LIGHT[0], ms=5, lw=1, zorder=3)
    ax.plot(x, [expected[rows].mean() for rows in bins], color=INK, lw=1.4, label="model")
    ax.axhline(0.5, color=MUTED, lw=0.8, ls=":")
    what = {"squared": "squared distance", "plain": "distance", "inner": "inner product"}
    ax.set(
        xlabel=f"difference in {what[choice.reads]}, farther minus nearer",
        ylabel="share that chose the nearer",
        ylim=(min(0.45, float((share - error).min())), 1.02),
    )
    legend_of(ax, loc="lower right")
    note(ax, f"{len(gaps):,} comparisons", (1, 1), (0, 4), ha="right", va="bottom")


def _compared(X: Floats, judgments: Any, choice: Any) -> tuple[Floats, Floats, Floats]:
    parts = []
    for comparison in judgments.comparisons():
        lengths = [_lengths(X, pair, choice.reads) for pair in comparison.pairs]
        for own, against in comparison.layout.contrasts:
            chosen, other = lengths[own], lengths[against]
            near, far = np.minimum(chosen, other), np.maximum(chosen, other)
            agrees = np.where(chosen == other, 0.5, chosen < other)
            inner = choice.reads == "inner"
            p = choice.probability(-near, -far) if inner else choice.probability(near, far)
            parts.append((far - near, agrees, p))
    return tuple(np.concatenate(column) for column in zip(*parts, strict=True))  # type: ignore[return-value]


def _bins(n: int, most: int) -> int:
    check(n_bins=(most, integers(1)))
    return max(1, min(most, n // LEAST))
