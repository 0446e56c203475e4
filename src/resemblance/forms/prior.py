"""Define a form where positions are a map of features plus a deviation of each item."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from resemblance.arrays import Floats, by_view
from resemblance.errors import SettingError
from resemblance.forms.maps import FeatureMap, Features, KernelMap, LinearMap
from resemblance.forms.multikernel import views_of
from resemblance.geometry.kernels import checked_features, times, transposed_times
from resemblance.ranges import SHARE, check, checks_bools

AUTO: Literal["auto"] = "auto"
MAPS = LinearMap(), KernelMap(bandwidth=None, landmarks="auto")  # candidates for map="auto"
LEAST_OWN = 1e-10  # smallest share of deviations; below it the equations for starts are singular


class ScaledMap(FeatureMap):
    """A map of scaled features whose columns are centred, with a mean squared row of 1."""

    name: ClassVar[str] = "scaled map"
    unit: Floats | None = None
    centre: Floats
    size: float

    def __init__(self, map: FeatureMap, standardised: bool = False) -> None:
        self.map, self.standardised = map, standardised

    def prepared(self, features: Features) -> Self:
        form = copy(self)
        form.unit = _units(features) if self.standardised else None
        scaled = features if form.unit is None else features / form.unit
        form.map = self.map.prepared(scaled)
        columns = form.map.describe(scaled)
        form.centre = columns.mean(axis=0, dtype=float)
        spread = float(columns.var(axis=0, dtype=float).sum())
        form.size = float(np.sqrt(spread)) if spread > 0 else 1.0
        return form

    def describe(self, features: ArrayLike) -> Features:
        if self.unit is not None:
            features = checked_features(features)
            _refuse_others(features.shape[1], len(self.unit))
            features = features / self.unit
        columns = self.map.describe(features)
        _refuse_others(columns.shape[1], len(self.centre))
        return (columns - self.centre) / self.size


class FeaturePrior(FeatureMap):
    r"""Positions as a map of features plus a deviation of each item, both fitted.

    .. math:: X = \sqrt{\rho} \, \Phi B + \sqrt{1 - \rho} \, E, \qquad
       \text{penalty} = \|B\|^2 + \|E\|^2

    This is a normal prior, in which each dimension of the positions has the covariance

    .. math:: \tau^2 (\rho \, \Phi\Phi' + (1 - \rho) I), \qquad \tau^2 = 1 / (2 \, \lambda)

    where lambda is the penalty. Phi is centred and scaled to a mean squared row length of 1, so rho
    is the features' share of the prior variance of positions. With rho = 1 there are no deviations;
    with rho = 0 features have no influence. Items with many answers are placed mostly by answers,
    items with few answers mostly by features. A new item x has the position of the map,
    :math:`\sqrt{\rho} \, \phi(x) B`. ``transform`` of a fitted model returns positions of the map,
    also for fitted items; ``embedding_`` includes deviations.

    For items with several views, Phi has the columns of all views, which are scaled to equal
    influence.

    Parameters
    ----------
    map : FeatureMap or "auto", optional
        The map that computes Phi: :class:`LinearMap` (default) or :class:`KernelMap`. "auto"
        chooses between a linear map and a default "rbf" kernel map with ``landmarks="auto"``, by
        held-out likelihood.
    share : float or "auto"
        rho, 0 to 1. "auto" chooses 0, 1/4, 1/2, 3/4 or 1 by held-out likelihood, together with
        ``penalty="auto"`` or at the given penalty. It chooses 0 without evidence that features
        help. ``form_.share`` of a fitted model is the chosen value.
    standardised : bool
        Whether to divide features by their standard deviations first, because units differ.
        Constant features are ignored.

    Raises
    ------
    SettingError
        If the share is out of range, or the map is neither a LinearMap nor a KernelMap. A fit
        raises it if items have no features, and ``transform`` if views or the number of features
        differ from those of the fit.

    References
    ----------
    Rasmussen & Williams 2006, Gaussian processes for machine learning, section 2.7: linear model
    with residuals. Henderson 1975, Biometrics 31, 423: fitting both parts.

    Examples
    --------
    >>> import resemblance as rs
    >>> features = np.random.default_rng(0).normal(size=(40, 3))
    >>> seen = features[:, :2] + 0.1
    >>> person = rs.SpaceObserver(2 * seen, random_state=0)
    >>> asked = np.random.default_rng(1).permuted(np.tile(np.arange(40), (300, 1)), axis=1)[:, :3]
    >>> answers = person.answer(rs.Triplets(asked, rs.Items(features=features)))
    >>> model = rs.STE(2, form=rs.FeaturePrior(share=0.9), penalty=1.0, random_state=0).fit(answers)
    >>> model.transform([[0.0, 0.0, 0.0]]).shape
    (1, 2)
    """

    name: ClassVar[str] = "feature prior"
    default_penalty = 1.0
    many_views = True
    maps: dict[str, ScaledMap]  # prepared map of each view
    _spectrum: tuple[Floats, Floats]

    @checks_bools
    def __init__(
        self,
        map: FeatureMap | Literal["auto"] | None = None,
        share: float | Literal["auto"] = AUTO,
        standardised: bool = False,
    ) -> None:
        self.map = LinearMap() if map is None else map
        self.share, self.standardised = _checked_share(share), standardised
        if not isinstance(self.map, LinearMap | KernelMap) and self.map != AUTO:
            raise SettingError(
                f"map is {map!r}: give a forms.LinearMap or forms.KernelMap of the features, "
                'or "auto".',
                setting="map",
            )
        if standardised and self.kernel == "precomputed":
            raise SettingError("a precomputed kernel is not standardised.", setting="standardised")

    @property
    def kernel(self) -> Any:
        """The kernel of the map; None for a linear map."""
        return getattr(self.map, "kernel", None)

    @property
    def features_map(self) -> FeatureMap:
        """The map. Raises an error if "auto" has not chosen yet."""
        if isinstance(self.map, str):
            raise SettingError(
                'map is "auto", which a fit chooses: give a forms.LinearMap or forms.KernelMap '
                "here, or fit first and take form_ of the model.",
                setting="map",
            )
        return self.map

    @property
    def is_open(self) -> bool:
        """Whether a fit must choose the map or the share."""
        return AUTO in (self.map, self.share)

    def alternatives(self) -> list[Self]:
        """Return the forms that a fit compares: one per candidate map, or only this form."""
        if self.map != AUTO:
            return [self]
        return [self._with(map=candidate) for candidate in MAPS]

    @property
    def rho(self) -> float:
        """The share. Raises an error if "auto" has not chosen yet."""
        if isinstance(self.share, str):
            raise SettingError(
                'share is "auto", which a fit chooses: give a number here, or fit first and take '
                "form_ of the model.",
                setting="share",
            )
        return self.share

    @property
    def factors(self) -> tuple[float, float]:
        """The square roots of the shares of the map and of the deviations."""
        return float(np.sqrt(self.rho)), float(np.sqrt(1.0 - self.rho))

    def with_share(self, share: float) -> Self:
        """Return a copy with another share."""
        return self._with(share=_checked_share(share))

    def of_part(self, features: Any) -> Self:
        """Return the form for a part of the items, whose features are ``features``."""
        form = self._with(_bound_to=features)
        form.design = form.describe(features)
        return form

    def taken(self, name: str | None, share: float) -> Self:
        """Return the form with the given share and with the map of the given name."""
        forms = {form.features_map.name: form for form in self.alternatives()}
        return forms.get(name or "", next(iter(forms.values()))).with_share(share)

    def expected(self, features: Any, X: Floats, of: Any) -> Floats:
        r"""Return expected positions (m, p) of new items, given positions X (n, p) of other items.

        .. math:: \bar x + \rho \, \Phi_o \Phi' (\rho \, \Phi\Phi' + (1 - \rho) I)^{-1} (X - \bar x)

        ``features`` (n, d), or a dict of views, belong to the items with positions X, and Phi is
        their design. ``of`` (m, d) belong to the new items, with the design Phi_o.
        """
        centre, bound = X.mean(axis=0), self.bound(features, 0.0)
        return np.asarray(centre + bound.describe(of) @ bound.components(bound.start(X - centre)))

    def settled(self, fitted: Self) -> Self:
        """Return the form with the map and share of a fitted form."""
        return self._with(share=fitted.rho, map=fitted.map)

    def checked(self, features: Any) -> Any:
        return views_of(features) if isinstance(features, Mapping) else super().checked(features)

    def prepared(self, features: Any) -> Self:
        scaled = ScaledMap(self.features_map, self.standardised)
        maps = {view: scaled.prepared(of_view) for view, of_view in by_view(features).items()}
        return self._with(maps=maps)

    def describe(self, features: Any) -> Features:
        """Return the rows of Phi, with the columns of all views side by side."""
        views = by_view(features)
        if set(self.maps) != set(views):
            raise SettingError(
                f"these items have the views {', '.join(views)}, those of the fit "
                f"{', '.join(self.maps)}: give the same ones.",
                setting="features",
            )
        parts = [form.describe(views[view]) for view, form in self.maps.items()]
        return np.concatenate(parts, axis=1) / np.sqrt(len(parts))

    def mapped(self, features: Any, components: Floats) -> Floats:
        if not isinstance(features, Mapping):
            return super().mapped(features, components)
        return np.asarray(self.describe(self.checked(features)) @ components)

    def of_items(self, items: NDArray[np.integer]) -> Self:
        """Raise an error: minibatches are impossible, because each item has parameters."""
        raise SettingError(
            "batch_size works with maps alone, and a FeaturePrior adds a deviation of each "
            "item: leave batch_size out.",
            setting="batch_size",
        )

    def decomposed(self) -> Self:
        """Return the form with a computed spectrum, which copies with other shares reuse."""
        self._spectrum = self.spectrum
        return self

    @property
    def spectrum(self) -> tuple[Floats, Floats]:
        """The eigenvalues and eigenvectors of Phi'Phi. For a wide Phi, only the non-zero ones."""
        if getattr(self, "_spectrum_of", None) is not self.design:
            Phi = np.asarray(self.design, dtype=float)
            if self.design.shape[1] > len(self.design):
                _, root, rows = np.linalg.svd(Phi, full_matrices=False)
                self._spectrum = root**2, np.ascontiguousarray(rows.T)
            else:
                values, vectors = np.linalg.eigh(transposed_times(Phi, Phi))
                self._spectrum = values, vectors
            self._spectrum_of = self.design
        return self._spectrum

    def parts(self, params: Floats) -> tuple[Floats, Floats]:
        """Return the parameters B and E."""
        q = self.design.shape[1]
        return params[:q], params[q:]

    def start(self, X: Floats) -> Floats:
        """Return the parameters of lowest penalty for X, or for the nearest possible positions.

        B = sqrt(rho) (rho Phi'Phi + (1 - rho) I)^-1 Phi'X, and E = (X - sqrt(rho) Phi B) / sqrt(1 -
        rho).
        """
        mapped, own = self.factors
        values, vectors = self.spectrum
        weights = mapped / (mapped**2 * values + max(own**2, LEAST_OWN))
        B = vectors @ (weights[:, None] * (vectors.T @ transposed_times(self.design, X)))
        rest = X - mapped * times(self.design, B)
        return np.concatenate([B, rest / own if own else np.zeros_like(X)])

    def expand(self, params: Floats) -> Floats:
        (mapped, own), (B, E) = self.factors, self.parts(params)
        return np.asarray(mapped * times(self.design, B) + own * E)

    def pull_back(self, params: Floats, gradient: Floats) -> Floats:
        """Return the gradients with respect to B and to E, stacked."""
        mapped, own = self.factors
        return np.concatenate([mapped * transposed_times(self.design, gradient), own * gradient])

    def components(self, params: Floats) -> Floats:
        """Return the matrix sqrt(rho) B from rows of Phi to positions."""
        return np.asarray(self.factors[0] * self.parts(params)[0])

    def placed(self, params: Floats) -> Floats:
        """Return the positions of the fit's items, including deviations."""
        return self.expand(params)


def _units(features: Features) -> Floats:
    deviation = features.std(axis=0, dtype=float)
    return np.where(deviation > 0, deviation, 1.0)


def _refuse_others(n: int, fitted: int) -> None:
    if n != fitted:
        raise SettingError(
            f"these features have {n} columns, those of the fit {fitted}: give the same "
            "features, in the same order."
        )


def _checked_share(share: float | Literal["auto"]) -> float | Literal["auto"]:
    check(share=(share, SHARE.besides(AUTO)))
    return share
