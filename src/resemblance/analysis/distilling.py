"""Fit a head, which maps a network's features to positions, to people's answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from resemblance.arrays import Floats
from resemblance.embeddings import STE
from resemblance.errors import SettingError, quiet
from resemblance.fitting import ItemKFold, OrdinalEmbedding
from resemblance.forms import FeaturePrior, KernelMap, LinearMap
from resemblance.judgments import Judgments, of_kind
from resemblance.notebook import Shown
from resemblance.observers import ModelObserver, explained
from resemblance.optional import pd
from resemblance.progress import Steps, Told
from resemblance.ranges import check, integers

RAW = "features as they are"
WIDTHS = 1.0, 2.0  # candidates for the bandwidth, relative to the RMS distance


@dataclass(frozen=True)
class Distilled(Shown):
    """A head that maps features to positions, and scores on unseen items.

    Attributes
    ----------
    model : OrdinalEmbedding
        The best head, fitted to all answers. ``transform`` places new items; ``save_onnx`` writes
        the head to a file.
    head : str
        The name of the best head.
    table : pandas.DataFrame
        A row for each head and for the features without a head: ``accuracy`` and ``log_loss`` on
        answers about held-out items, and the number of ``answers``.
    """

    model: OrdinalEmbedding
    head: str
    table: pd.DataFrame


def distil(
    judgments: Judgments,
    n_components: int = 10,
    *,
    cv: int = 5,
    random_state: Any = 0,
    callback: Told | None = None,
) -> Distilled:
    r"""Learn from people's answers how to weight the features of a network.

    .. math:: \min_A \; -\sum_r \log p_r\bigl(\lVert A' \phi(f_a) - A' \phi(f_b) \rVert^2\bigr)
       + \lambda \lVert A \rVert^2

    where f_a are the features of item a, and p_r is the softmax probability of answer r. Two heads
    are trained: a linear map of low rank, and a map phi of Gaussian kernels at the items, which is
    a network with one hidden layer. Features are standardised. The penalty lambda is chosen on
    held-out answers of the first fold. Cross-validation over items compares the heads on answers
    about items that they were not trained on. The head with the lowest log loss is then fitted to
    all answers. Source: Muttenthaler et al. 2023, NeurIPS: a linear map of a network's features,
    trained on odd-one-out answers.

    Parameters
    ----------
    judgments : Triplets, Quadruplets, Choices or OddOneOuts
        Answers about items that have features.
    n_components : int
        The rank of the map, which is the number of dimensions.
    cv : int
        The number of folds of items, 2 or more.
    random_state : int, RandomState or None
    callback : callable, optional
        Called with (fits done, number of fits).

    Raises
    ------
    SettingError
        If items have no features, features do not vary, or a setting is out of range.

    See Also
    --------
    save_onnx : Writes the head as an ONNX network.
    FeaturePrior : A map of features, with a deviation of each item.

    Examples
    --------
    >>> import numpy as np
    >>> import resemblance as rs
    >>> rng = np.random.default_rng(0)
    >>> features = rng.normal(size=(60, 6))
    >>> person = rs.SpaceObserver(2 * features[:, :2], random_state=0)
    >>> asked = np.array([rng.choice(60, 3, replace=False) for _ in range(1500)])
    >>> answers = person.answer(rs.Triplets(asked, rs.Items(features=features)))
    >>> heads = distil(answers, 2, cv=3)
    >>> bool(heads.table["accuracy"]["linear"] > heads.table["accuracy"]["features as they are"])
    True
    """
    check(n_components=(n_components, integers(1)), cv=(cv, integers(2)))
    features = of_kind(judgments, Judgments, "distil").items.features
    if features is None or isinstance(features, dict):
        raise SettingError("distil needs one table of features: give Items(features=X).")
    if not np.ptp(features, axis=0).any():
        raise SettingError(
            "the features are the same for all items: there is nothing to learn from them."
        )
    folds = ItemKFold(cv, random_state=random_state)
    heads = dict(_heads(np.asarray(features, dtype=float)))
    parts = [(judgments[train], judgments[test]) for train, test in folds.split(judgments)]
    steps = Steps(callback, len(parts) * len(heads) + 1)
    rows: dict[str, list[tuple[float, float, int]]] = {name: [] for name in (RAW, *heads)}
    raw = ModelObserver(features, "cosine", items=judgments.items)
    for _, test in parts:
        said = explained(raw, test, 1.0, n_resamples=2)
        rows[RAW].append((said.accuracy, said.log_loss, len(test)))
    for name, form in heads.items():
        heads_of_folds = fitted_heads(
            (train for train, _ in parts), form, n_components, random_state
        )
        for placed, (_, test) in zip(heads_of_folds, parts, strict=True):
            rows[name].append((placed.score(test), placed.log_loss(test), len(test)))
            steps.take()
    table = pd.DataFrame({name: _mean(scores) for name, scores in rows.items()}).T
    table.columns = pd.Index(["accuracy", "log_loss", "answers"])
    best = str(table["log_loss"][list(heads)].idxmin())
    model = _fitted(judgments, heads[best], n_components, "auto", random_state)
    steps.take()
    return Distilled(model, best, table.astype({"answers": int}))


def fitted_heads(
    parts: Iterable[Judgments], form: FeaturePrior, n_components: int, random_state: Any
) -> Iterator[OrdinalEmbedding]:
    """Fit a head to each part; yield all items at the positions of the head.

    The penalty is chosen on the first part only.
    """
    penalty: float | Literal["auto"] = "auto"
    for train in parts:
        with quiet():  # only a final fit may warn
            head = _fitted(train, form, n_components, penalty, random_state)
        penalty = head.penalty_
        yield STE(head.embedding_.shape[1]).set_positions(
            head.transform(train.items.features), train.items
        )


def linear_head() -> FeaturePrior:
    return FeaturePrior(LinearMap(), share=1.0, standardised=True)


def _heads(features: Floats) -> Iterator[tuple[str, FeaturePrior]]:
    yield "linear", linear_head()
    typical = float(np.sqrt(2.0 * (features.std(axis=0) > 0).sum())) or 1.0
    for width in WIDTHS:
        kernel = KernelMap(bandwidth=width * typical)
        yield f"rbf, width {width:g}", FeaturePrior(kernel, share=1.0, standardised=True)


def _fitted(
    judgments: Judgments,
    form: FeaturePrior,
    n_components: int,
    penalty: float | Literal["auto"],
    random_state: Any,
) -> STE:
    model = STE(n_components, form=form, penalty=penalty, random_state=random_state)
    return model.fit(judgments)


def _mean(scores: list[tuple[float, float, int]]) -> list[float]:
    values = np.array(scores)
    n = values[:, 2]
    return [*(values[:, :2].T @ n / n.sum()).tolist(), float(n.sum())]
