"""Yada: learn a map from features of stimuli to a psychological space, from 2AFC confusions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Any

from resemblance.choice import ChoiceModel, Decay, Exponential, Gaussian
from resemblance.errors import SettingError
from resemblance.fitting import OrdinalEmbedding
from resemblance.fitting.embedding import Init
from resemblance.forms import Coordinates, FeatureMap, Form, KernelMap, LinearMap, ShapedMap
from resemblance.geometry.kernels import Kernel
from resemblance.judgments import Items
from resemblance.ranges import BELOW_ONE, NOT_NEGATIVE, integers, setting

DESCENTS, DESCENTS_ON_A_LINE = 4, 12
CHOICES: dict[str, type[Decay]] = {"gaussian": Gaussian, "exponential": Exponential}


class Yada(OrdinalEmbedding):
    r"""Learn a map from features to a space where distance explains confusions.

    .. math:: \min_W \; -\sum_{ij} a_{ij} \log \psi(d_{ij}) + b_{ij} \log(1 - \psi(d_{ij}))
       + \mu \, \mathrm{Tr}(W K W'), \qquad d_{ij} = \lVert W (k_i - k_j) \rVert

    where a_ij and b_ij are the numbers of errors and right answers of pair (i, j), k_i is the
    kernel of stimulus i with all stimuli, and psi(d) = exp(-d^2) / 2 or exp(-d) / 2 is the
    probability of an error at distance d. With ``kernel="linear"`` the map is A x, and the penalty
    the squared norm of A.

    The first descent starts from the map closest to the features. If the numbers of dimensions
    differ, it uses the features' principal components or adds random dimensions. The second descent
    starts from the map closest to classical scaling of the confusions. The third starts from a map
    with two extra dimensions, which are then shrunk to 0. Further descents start at random. A
    single descent from the features often misses maps that fold the space of features.

    Items without features get free positions, which is the same model with K = I. Comparisons can
    also be fitted, with a choice model of comparisons. Comparisons, lapses, and monotone or
    one-to-one maps are not in the paper. Source: Xu, Zhu, Rogers (2012), Metric learning for
    estimating psychological similarities, ACM TIST: equations 16 and 22, section 3.3 for the first
    start.

    Parameters
    ----------
    n_components : int
        The number p of dimensions.
    kernel : {"rbf", "linear", "polynomial", "precomputed"} or callable
        The kernel, see :func:`~resemblance.geometry.kernel_matrix`.
    bandwidth : float
        The bandwidth of "rbf", exp(-||x - y||^2 / (2 bandwidth^2)), in units of the features.
    degree : int
        The degree of "polynomial".
    penalty : float
        mu, the factor of the squared norm, 0 or more; the likelihood is a sum over trials.
    choice : {"gaussian", "exponential"} or ChoiceModel
        The probability of an error at each distance.
    lapse : float
        The share of answers given by chance, for the two named choice models.
    landmarks : int, optional
        The number of stimuli for which the kernel has columns. Default: all stimuli. Set it if
        there are thousands of stimuli.
    monotone : sequence of int
        Indices f of features in which the map must be monotone: coordinate f increases with feature
        f.
    one_to_one : bool
        Whether the map must be one-to-one. For this and ``monotone`` see
        :class:`~resemblance.forms.ShapedMap`; ``form_.least_slope(components_)`` is above 0 if the
        map has these properties.
    n_init : int, optional
        The number of descents, whose best result is kept. Default: 1 if positions are given or the
        fit continues, 12 for the exponential in one dimension (where items rarely pass each other),
        and 4 otherwise.
    init, max_iter, tol, random_state, n_jobs, device, callback, warm_start, batch_size
        As in :class:`~resemblance.fitting.OrdinalEmbedding`.

    Attributes
    ----------
    embedding_ : array (n_items, n_components)
        The positions of the fitted stimuli.
    components_, offset_, form_
        The map, if items have features; see :meth:`transform`.
    loss_, n_iter_, converged_, choice_, items_, parts_
        As in :class:`~resemblance.fitting.OrdinalEmbedding`.

    Raises
    ------
    SettingError
        For a setting out of range, or a shaped map of items without features.

    Examples
    --------
    >>> import numpy as np
    >>> import resemblance as rs
    >>> x = np.linspace(-1, 1, 11)[:, None]
    >>> pairs = np.column_stack(np.triu_indices(11, 1))
    >>> seen = np.exp(x)  # how the stimuli are seen
    >>> gap = np.abs(seen[pairs[:, 0]] - seen[pairs[:, 1]]).ravel()
    >>> errors = np.round(500 * np.exp(-(gap**2)) / 2)
    >>> counts = rs.Confusions(pairs, errors, 500, rs.Items(features=x))
    >>> yada = Yada(1, bandwidth=1.0, penalty=1e-6).fit(counts)
    >>> middle = yada.transform([[0.05]]) - yada.transform([[-0.05]])
    >>> abs(middle).round(2)  # exp(0.05) - exp(-0.05)
    array([[0.1]])
    """

    choice: str | ChoiceModel = "gaussian"  # type: ignore[assignment]
    form: str | Form = field(init=False)  # set from ``kernel``
    kernel: Kernel = "rbf"
    bandwidth: float = 1.0
    degree: int = 2
    penalty: float = setting(NOT_NEGATIVE, default=1e-3)
    lapse: float = setting(BELOW_ONE, default=0.0)
    landmarks: int | None = None
    monotone: Sequence[int] = ()
    one_to_one: bool = False
    n_init: int | None = setting(integers(1).besides(None), default=None)  # type: ignore[assignment]
    init: Init = ("features", "spectral", "lifted")
    tol: float = setting(NOT_NEGATIVE, default=1e-7)

    def _choice(self) -> ChoiceModel:
        if isinstance(self.choice, ChoiceModel):
            return self.choice
        if self.choice not in CHOICES:
            raise SettingError(
                f"choice is {self.choice!r}: choose {', '.join(map(repr, CHOICES))}, or a "
                "ChoiceModel."
            )
        return CHOICES[self.choice](lapse=self.lapse)

    def _n_descents(self, most: int = DESCENTS) -> int:
        if self.n_init is not None:
            return self.n_init
        placed = self.warm_start and hasattr(self, "embedding_")
        if placed or not isinstance(self.init, str | tuple):
            return 1
        folds = self.n_components == 1 and isinstance(self._choice(), Exponential)
        return DESCENTS_ON_A_LINE if folds else most

    def _bound(self, form: Form, items: Items, *rows: Any) -> tuple[Form, float]:
        vars(self).pop("components_", None)  # This fit may have no features, unlike an earlier fit.
        return super()._bound(self._form_of(items), items, *rows)

    def _form_of(self, items: Items) -> Form:
        shaped = len(self.monotone) or self.one_to_one
        return Coordinates() if items.features is None and not shaped else self._form()

    def _form(self) -> Form:
        form: FeatureMap = KernelMap(self.kernel, self.bandwidth, self.degree, self.landmarks)
        if self.kernel == "linear" and self.landmarks is None:
            form = LinearMap()
        if len(self.monotone) or self.one_to_one:
            return ShapedMap(form, self.monotone, self.one_to_one)
        return form
