"""Methods of embeddings that map features to positions."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import TransformerTags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from resemblance.arrays import Floats
from resemblance.errors import SettingError, UnreachableWarning
from resemblance.fitting.estimator import GivesTables
from resemblance.fitting.objective.checks import keep_features, named_features
from resemblance.fitting.preimages import (
    PerceptualGrid,
    Preimages,
    checked_bounds,
    perceptual_grid,
    preimages,
)
from resemblance.forms import FeatureMap, Form, ShapedMap
from resemblance.geometry import principal_rotation
from resemblance.geometry.kernels import as_features
from resemblance.judgments import Elsewhere, Items, Joined, OneKind
from resemblance.judgments.checks import first_few
from resemblance.judgments.convert import Fitted, checked_judgments

RANK = 1e-12  # share of the largest variance below which an axis is rounding


def _maps(model: Any) -> bool:
    """Return whether a model has, or will have, a map; the error says how to get one."""
    if "components_" not in vars(model) and not isinstance(model._form(), FeatureMap):
        model._check_maps()
    return True


class MapsFeatures:
    """Positions of new items from their features, where the form is a map of features.

    Attributes
    ----------
    form_ : FeatureMap
        The form, bound to the items of the fit.
    components_ : array (q, n_components)
        The map: positions are ``form_.describe(features) @ components_ - offset_``.
    offset_ : array (n_components,)
        Brings the centroid of the items to the origin.
    n_features_in_ : int
        The number of features that ``transform`` takes, of items with one view.
    feature_names_in_ : array (n_features_in_,) of str
        The names of the features, where the items' features have names; ``transform`` refuses data
        frames with other columns.
    """

    form_: FeatureMap
    components_: Floats
    offset_: Floats
    embedding_: Floats
    items_: Items

    @abstractmethod
    def _form(self) -> Form:
        """Return the form that the settings describe."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.transformer_tags = TransformerTags()
        return tags

    @available_if(_maps)
    def transform(self, X: ArrayLike) -> Floats:
        """Map features into the space.

        Parameters
        ----------
        X : array (m, d)
            The features of items seen or unseen; with a precomputed kernel, their kernel with the
            items of the fit, (m, n_items).

        Returns
        -------
        array (m, n_components)

        Raises
        ------
        SettingError
            If the form is no map of features, or the features are not those of the fit.
        """
        self._check_maps()
        X = named_features(self, X)
        return self.form_.mapped(X, self.components_) - self.offset_

    @available_if(_maps)
    def inverse_transform(self, X: ArrayLike, bounds: ArrayLike | None = None) -> Floats:
        """Find a stimulus at each point of the space, or the nearest that there is.

        Parameters
        ----------
        X : array (m, n_components)
            Points of the space.
        bounds : array (d, 2), optional
            The least and largest value of each feature; default: the range of the fit's items.

        Returns
        -------
        array (m, d)
            Features. :meth:`preimages` gives all stimuli that lie at a point.

        Warns
        -----
        UnreachableWarning
            Where no stimulus lies at a point; it names the points and how far the nearest one is.

        References
        ----------
        Xu, Zhu & Rogers 2012 (Yada), section 3.4.
        """
        stimuli = self.preimages(X, bounds)
        missed = np.flatnonzero(~stimuli.reachable)
        if len(missed):
            listed = first_few(f"row {r} by {stimuli.distance[r]:.3g}" for r in missed)
            warnings.warn(
                f"no stimulus within the bounds lies at {listed}: the nearest ones are given. "
                "Widen the bounds, or take points among the positions of stimuli.",
                UnreachableWarning,
                stacklevel=2,
            )
        return stimuli.features

    @available_if(_maps)
    def preimages(self, X: ArrayLike, bounds: ArrayLike | None = None) -> Preimages:
        """Find every stimulus at each point of the space, and how far the nearest one is.

        Parameters
        ----------
        X, bounds
            As in :meth:`inverse_transform`.

        Returns
        -------
        Preimages
        """
        points = as_features(X, "the points")
        if points.shape[1] != self.embedding_.shape[1]:
            raise SettingError(
                f"the points have {points.shape[1]} coordinates, the space "
                f"{self.embedding_.shape[1]}."
            )
        return preimages(self.transform, points, self.stimulus_range(bounds))

    def perceptual_grid(
        self, shape: tuple[int, ...], bounds: ArrayLike | None = None
    ) -> PerceptualGrid:
        """Find stimuli with equal spacing in the space, as far apart as the bounds allow.

        Parameters
        ----------
        shape : tuple of int
            The number of nodes along each axis of the grid, which may be turned in the space.
        bounds
            As in :meth:`inverse_transform`.

        Returns
        -------
        PerceptualGrid
            It says which nodes no stimulus reaches.
        """
        return perceptual_grid(self.transform, tuple(shape), self.stimulus_range(bounds))

    @available_if(_maps)
    def stimulus_range(self, bounds: ArrayLike | None = None) -> Floats:
        """Return the least and largest value of each feature, (d, 2): as given, or of the fit."""
        self._check_maps()
        features = self.items_.features
        if getattr(self.form_, "kernel", None) == "precomputed" or not isinstance(
            features, np.ndarray
        ):
            raise SettingError(
                "a precomputed kernel has no values between the stimuli of the fit: fit with "
                "their features and another kernel to find stimuli at points."
            )
        return checked_bounds(bounds, features)

    def _check_maps(self) -> None:
        if not isinstance(self._form(), FeatureMap) and "components_" not in vars(self):
            raise SettingError(
                f"this {type(self).__name__} has positions of its items and no map of features: "
                'fit it with form="kernel" or form="linear", or give it a FeatureMap.'
            )
        check_is_fitted(self, "components_")

    def _keep_map(
        self, form: FeatureMap, params: Floats, center: bool, n_components: int | None
    ) -> Floats:
        """Keep the map in the principal axes of the items; return their positions.

        With None, all axes in which the items differ are kept.
        """
        components = form.components(params)
        X = form.placed(params)
        rotation, mean = principal_rotation(X, center)
        if n_components is None:
            sizes = ((X - mean) @ rotation).var(axis=0)
            n_components = max(1, int((sizes > RANK * sizes[0]).sum()))
        rotation = rotation[:, :n_components]
        if isinstance(form, ShapedMap):
            rotation = np.eye(
                X.shape[1]
            )  # coordinates have the meaning that their shape gives them
        rotation = np.pad(rotation, ((0, 0), (0, max(0, n_components - rotation.shape[1]))))
        keep_features(self, self.items_)
        self.form_, self.components_, self.offset_ = form, components @ rotation, mean @ rotation
        return np.asarray((X - mean) @ rotation)


class GivesPositions(MapsFeatures, GivesTables):
    """Positions of the items of judgments, or of features, for the next step of a pipeline."""

    @abstractmethod
    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Find the positions."""

    def fit_transform(
        self, X: Fitted, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Any:
        """Find the positions, and return them: ``fit(X, y).embedding_``.

        Returns
        -------
        array (n_items, n_components), or a table of ``set_output``, whose index are the items
        """
        return self._output(self.fit(X, y, sample_weight).embedding_, self.items_)

    def transform(self, X: Any) -> Any:
        """Return the positions of the items of judgments, or the images of features.

        Parameters
        ----------
        X : judgments, array of int (m, 3 or 4), or array (m, d)
            Judgments of items of the fit (an array of positions: of all items); with a form that is
            a map of features, the features of items seen or unseen, or with a precomputed kernel
            their kernel with the items of the fit, (m, n_items).

        Returns
        -------
        array (items, n_components), or a table of ``set_output``

        Raises
        ------
        SettingError
            If the form is no map of features, or the features are not those of the fit.
        JudgmentError
            If an item is none of the fit.
        """
        check_is_fitted(self, "embedding_")
        if isinstance(X, OneKind | Joined | Elsewhere):
            return self._output(self.embedding_[self.items_.positions(X.items.names)], X.items)
        if not isinstance(self._form(), FeatureMap) and np.shape(X)[1:] in ((3,), (4,)):
            checked_judgments(X)
            return self._output(self.embedding_, self.items_)
        self._check_maps()
        return self._output(super().transform(X), None)

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:
        """Return the names of the dimensions, such as "tste0" and "tste1", as scikit-learn does."""
        check_is_fitted(self, "embedding_")
        name, n_components = type(self).__name__.lower(), self.embedding_.shape[1]
        return np.array([f"{name}{k}" for k in range(n_components)], dtype=object)
