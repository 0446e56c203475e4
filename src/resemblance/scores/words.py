"""Find the directions of a map that people name when they say in which way items differ."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve, eigh
from scipy.stats import f as f_distribution

from resemblance.arrays import Floats
from resemblance.catalog import REASON
from resemblance.errors import SettingError
from resemblance.geometry.procrustes import as_points, positions_of
from resemblance.judgments.base import OneKind
from resemblance.optional import pd
from resemblance.scores.directions import Directions, holm, reach_of

LEAST_PEOPLE = 3  # Words that fewer people used are left out, as they may name people.
FOLDS = 5
ENDS = " .,;:!?\"'()[]{}«»„“”‘’¿¡。、，！？؟،।"
# ratios of the variances of items' own effects to the residual variance, of which one is chosen
RATIOS = (0.0, 1 / 256, 1 / 64, 1 / 16, 1 / 4, 1.0, 4.0, 16.0, 64.0)
# share of a word's variance that counts as residual, in case each item always has the same word
NUGGET = 0.02
MANY = 300  # Among more items, every second ratio is tried.

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class WordDirections(Directions):
    """The directions that people name on a map, the best predicted word first.

    Attributes
    ----------
    names : tuple of str
        The words, in lower case.
    direction : array (n_words, n_components)
        The directions, as vectors of length 1.
    p_value : array (n_words,)
        The p-value of a test against words that depend only on the items shown, whatever their
        positions, corrected for the number of words (Holm).
    reach : float
        The length of an arrow of correlation 1, as in :class:`FeatureDirections`.
    correlation : array (n_words,)
        The correlation of a word's use with its prediction, on people who are held out.
    one_way : array (n_words,) of bool
        Whether the word is used where the odd item lies in this direction, as "louder" is. If not,
        it is used at either end, as "size" is, and the opposite direction is as good.
    n_people, n_uses : arrays (n_words,) of int
        The number of people who used the word, and of their answers with it.
    """

    title = "words"
    scored = "correlation"
    measure = f"r of each {REASON} on held-out people"
    correlation: Floats
    one_way: NDArray[np.bool_]
    n_people: Ints
    n_uses: Ints

    @property
    def strength_words(self) -> list[str]:
        marks = np.where(self.one_way, "", "↔ ")
        return [f"{mark}r = {r:.2f}" for mark, r in zip(marks, self.correlation, strict=True)]

    def to_pandas(self) -> pd.DataFrame:
        """Return a table: word, correlation, p_value, one_way, people, uses, x1, x2, ..."""
        table: dict[str, Any] = {"word": self.names, "correlation": self.correlation}
        table |= {"p_value": self.p_value, "one_way": self.one_way}
        table |= {"people": self.n_people, "uses": self.n_uses}
        return pd.DataFrame(table | self._coordinates())


def word_directions(embedding: Any, judgments: OneKind) -> WordDirections:
    r"""Find the directions of the words with which people say in which way items differ.

    The contrast of an answer is the odd item's position minus the mean of the others,
    :math:`z_r = x_o - \bar x_{\text{others}}`; of a triplet, the odd item is far. Let
    :math:`y_r` be 1 if a word was used, among answers with a word. A word is predicted by
    :math:`u^\top z_r`, with u by least squares ("louder"), or by :math:`|u^\top z_r|`, with u the
    leading eigenvector of :math:`\sum_r y_r z_r z_r^\top` relative to
    :math:`\sum_r z_r z_r^\top` ("size"), whichever correlates more with y. The correlation that is
    returned is on people who are held out, in five folds, from the choice between the two on.

    The test is an F test of the contrasts (or their products) in a linear mixed model, in which
    each item has random effects of its own as the odd one and as one of the others (by restricted
    maximum likelihood). So a word that goes with an item, and not with a direction, is not taken
    for one. The p-value is doubled for the choice between the two.

    Words are compared in lower case, by Unicode's NFKC, without outer spaces and punctuation. Only
    words that at least three people used are returned.

    Parameters
    ----------
    embedding : fitted model, or array (n_items, n_components)
        The model, or positions of items.
    judgments : OddOneOuts or Triplets
        Answers with observers, and an extra column "reason" with words; "" or missing: no word.

    Returns
    -------
    WordDirections
        The directions, for ``save_map``, ``plot_map`` and ``show_map`` (``directions=``).

    Raises
    ------
    SettingError
        If judgments are of another kind, have no column "reason" or no observers, have several
        rows of one response, or have other items than the embedding; if three people used no word,
        or all words are the same.

    References
    ----------
    Patterson, H. D. and Thompson, R. (1971). Recovery of inter-block information when block sizes
    are unequal. *Biometrika*, 58, 545.

    Examples
    --------
    >>> from resemblance import OddOneOuts
    >>> rng = np.random.default_rng(0)
    >>> positions, trios = rng.normal(size=(20, 2)), rng.random((600, 20)).argsort()[:, :3]
    >>> x = positions[trios][:, :, 0]
    >>> place = np.abs(x - x.mean(axis=1, keepdims=True)).argmax(axis=1)
    >>> louder = x[range(600), place] > x.mean(axis=1)
    >>> extra = {"reason": np.where(louder, "Louder", "quieter")}
    >>> people = np.arange(600) % 20
    >>> answers = OddOneOuts(trios, trios[range(600), place], 20, observer=people, extra=extra)
    >>> words = word_directions(positions, answers)
    >>> words.names, words.shown, words.one_way.tolist(), words.direction[:, 0].round().tolist()
    (('louder', 'quieter'), [0, 1], [True, True], [1.0, -1.0])
    """
    points = as_points(positions_of(embedding), "embedding")
    odd = _odd_column(judgments, len(points))
    words = np.array([as_word(text) for text in judgments.extra[REASON]], dtype=object)
    given = words != ""
    words, index = words[given], judgments.index[given]
    person = judgments.observers_named()[given].astype(str)
    answers = _Answers(points, index[:, [odd]], np.delete(index, odd, axis=1), person)
    people = pd.Series(person).where(person != "").groupby(words).nunique()
    if len(people) < 2 or people.max() < LEAST_PEOPLE:
        raise SettingError(
            f"words (not numbers) must differ, and {LEAST_PEOPLE} people must use the same one: "
            "collect more answers with words"
        )
    people = people[people >= LEAST_PEOPLE]
    uses = np.array([words == name for name in people.index], float)
    direction, one_way, correlation = answers.predicted(uses)
    p_value, n_uses = holm(answers.p_values(uses, one_way)), uses.sum(axis=1).astype(int)
    names, reach, n_people = tuple(people.index), reach_of(points), np.asarray(people)
    unsorted = WordDirections(
        names, direction, p_value, reach, correlation, one_way, n_people, n_uses
    )
    return unsorted.best_first()


def as_word(text: Any) -> str:
    """Return a word as words are compared.

    >>> as_word("  Louder! "), as_word(float("nan"))
    ('louder', '')
    """
    if not isinstance(text, str):
        return ""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split()).strip(ENDS)


def _odd_column(judgments: OneKind, n_items: int) -> int:
    if judgments.odd_column is None:
        raise SettingError(
            f"words are about odd ones out and triplets, not {judgments.kind()}: give OddOneOuts "
            "or Triplets"
        )
    if REASON not in judgments.extra or judgments.observer is None:
        raise SettingError(
            f"words need observers and an extra column {REASON}: read them from a study's export"
        )
    if judgments.response_id is not None and len({*judgments.response_id}) < len(judgments):
        raise SettingError(
            "several rows have one response_id, so that its word counts several times: give the "
            "odd ones out themselves"
        )
    if judgments.n_items != n_items:
        raise SettingError(
            f"the embedding has {n_items} items, the judgments have {judgments.n_items}: give the "
            "model that was fitted to them"
        )
    return judgments.odd_column


class _Answers:
    def __init__(self, points: Floats, odd: Ints, others: Ints, person: NDArray[Any]) -> None:
        self.odd = _effects(odd, len(points))
        self.present = _effects(np.hstack([odd, others]), len(points))
        self.contrasts = points[odd[:, 0]] - _effects(others, len(points)) @ points
        _, who = np.unique(person, return_inverse=True)
        people = np.random.default_rng(0).permutation(who.max(initial=-1) + 1)
        self.fold = people[who] % FOLDS

    def predicted(self, uses: Floats) -> tuple[Floats, NDArray[np.bool_], Floats]:
        """Return words' directions, whether they are one-way, and r on people who are held out."""
        z, held_out = self.contrasts, np.zeros_like(uses)
        for fold in range(FOLDS):
            kept = self.fold != fold
            held_out[:, ~kept] = _along(z[~kept], *_best(z[kept], uses[:, kept]))
        return *_best(z, uses), _correlation(uses, held_out)

    def p_values(self, uses: Floats, one_way: NDArray[np.bool_]) -> Floats:
        """Test contrasts, or products of their coordinates over their length."""
        z = self.contrasts
        a, b = np.triu_indices(z.shape[1])
        products = z[:, a] * z[:, b] / np.maximum(np.linalg.norm(z, axis=1), 1e-300)[:, None]
        p_value = np.where(one_way, self._f_test(z, uses), self._f_test(products, uses))
        return np.minimum(2 * p_value, 1.0)

    def _f_test(self, columns: Floats, uses: Floats) -> Floats:
        """Test columns in a mixed model of each word, by REML over a grid of variance ratios."""
        fixed = np.hstack([np.ones((len(columns), 1)), _independent(columns)])
        (n, p), n_items = fixed.shape, self.odd.shape[1]
        freedom = len(np.unique(self.odd.indices)) - p
        if p == 1 or freedom < 1:
            return np.ones(len(uses))
        design = sparse.hstack([fixed, self.odd, self.present], format="csr")
        gram, inner = (design.T @ design).toarray(), design.T @ uses.T
        total = (uses**2).sum(axis=1) + NUGGET * n * uses.var(axis=1)
        ratio, least = np.zeros(len(uses)), np.full(len(uses), np.inf)
        unit, ratios = np.eye(len(gram), p), RATIOS[:: 1 if n_items <= MANY else 2]
        for own, other in product(ratios, ratios):
            scale = np.sqrt(np.repeat([1.0, own, other], [p, n_items, n_items]))
            random = np.diag(np.arange(len(scale)) >= p)
            factor = cho_factor(gram * np.outer(scale, scale) + random)
            right = inner * scale[:, None]
            solved, inverse = cho_solve(factor, right), cho_solve(factor, unit)[1:p, 1:p]
            rest = total - (right * solved).sum(axis=0)
            loss = 2 * np.log(np.diag(factor[0])).sum() + (n - p) * np.log(rest)
            slopes = solved[1:p]
            squares = (slopes * np.linalg.solve(inverse, slopes)).sum(axis=0)
            better = loss < least
            ratio[better] = (squares / (p - 1) / (rest / (n - p)))[better]
            least = np.minimum(least, loss)
        return np.asarray(f_distribution.sf(ratio, p - 1, freedom))


def _independent(columns: Floats) -> Floats:
    left, spread, _ = np.linalg.svd(columns - columns.mean(axis=0), full_matrices=False)
    return left[:, spread > 1e-8 * max(spread.max(initial=0.0), 1e-300)]


def _effects(items: Ints, n_items: int) -> sparse.csr_array:
    """Return the share of each item in each row, (m, n_items)."""
    there = items >= 0
    rows = np.nonzero(there)[0]
    shares = (1 / np.maximum(there.sum(axis=1), 1))[rows]
    return sparse.csr_array((shares, (rows, items[there])), shape=(len(items), n_items))


def _along(z: Floats, directions: Floats, one_way: NDArray[np.bool_]) -> Floats:
    along = directions @ z.T
    return np.where(one_way[:, None], along, np.abs(along))


def _best(z: Floats, uses: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """Return the direction of each word that predicts its uses better, and whether by the sign."""
    slope = np.linalg.lstsq(z - z.mean(axis=0), uses.T - uses.mean(axis=1), rcond=1e-10)[0].T
    total = z.T @ z
    total += 1e-10 * max(float(np.trace(total)), 1e-60) * np.eye(len(total))
    axis = np.array([eigh((z.T * y) @ z, total)[1][:, -1] for y in uses])
    axis *= np.sign(np.take_along_axis(axis, np.abs(axis).argmax(axis=1)[:, None], axis=1))
    both = np.array([slope, axis])
    both /= np.maximum(np.linalg.norm(both, axis=2, keepdims=True), 1e-300)
    one_way = _correlation(uses, both[0] @ z.T) >= _correlation(uses, np.abs(both[1] @ z.T))
    return np.where(one_way[:, None], *both), one_way


def _correlation(uses: Floats, predicted: Floats) -> Floats:
    a, b = (rows - rows.mean(axis=1, keepdims=True) for rows in (uses, predicted))
    scale = np.sqrt((a**2).sum(axis=1) * (b**2).sum(axis=1))
    return (a * b).sum(axis=1) / np.maximum(scale, 1e-300)
