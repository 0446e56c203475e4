"""Define the base class of estimators, with scikit-learn's conventions."""

from __future__ import annotations

from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from inspect import signature
from typing import TYPE_CHECKING, Any, Protocol, dataclass_transform

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.exceptions import NotFittedError
from sklearn.utils import ClassifierTags

from resemblance.arrays import Floats
from resemblance.judgments import OneKind
from resemblance.notebook import ROWS, Card, Shown, facts_of
from resemblance.optional import pd
from resemblance.ranges import check, check_settings, one_of, setting

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

    from resemblance.judgments import Items

    class BaseEstimator:
        """A stand-in for scikit-learn's untyped class, read by type checkers only."""

        get_params: Callable[..., dict[str, Any]]
        set_params: Callable[..., Self]
        __sklearn_tags__: Callable[..., Any]

else:
    from sklearn.base import BaseEstimator


@dataclass_transform(kw_only_default=True, field_specifiers=(field, setting))
class Estimator(Shown, BaseEstimator):
    """A scikit-learn estimator that learns from judgments instead of a table of features.

    Its settings are the fields of a dataclass, keyword-only and inherited. A subclass declares the
    fields that it adds or that have another default; ``field(init=False)`` removes an inherited
    setting. :func:`setting` declares the allowed values.
    """

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        dataclass(eq=False, repr=False, match_args=False, kw_only=True)(cls)

    if not TYPE_CHECKING:  # type checkers read the constructor's signature instead

        def __new__(cls, *args: Any, **settings: Any) -> Self:
            names = settings_of(cls.__init__)
            for name in (name for name in settings if name not in names):
                near = "".join(f"{n!r}, " for n in get_close_matches(name, names, n=1))
                raise TypeError(
                    f"{cls.__name__} has no setting {name!r}; "
                    f"{f'did you mean {near}' if near else ''}it has {', '.join(names)}"
                )
            return super().__new__(cls)

    @classmethod
    def _get_param_names(cls) -> list[str]:
        return sorted(settings_of(cls.__init__))

    def __getattr__(self, name: str) -> Any:
        # If the settings make a method unavailable, the method itself raises the error.
        if hasattr(type(self), name):
            return super().__getattribute__(name)
        if is_learned(name) and not any(map(is_learned, vars(self))):
            raise NotFittedError(
                f"this {type(self).__name__} has no {name} yet: call fit with judgments first"
            )
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _check_settings(self) -> None:
        check_settings(self)

    def _card(self) -> Card:
        learned = {name: value for name, value in vars(self).items() if is_learned(name)}
        items, positions = learned.get("items_"), learned.get("embedding_")
        facts = {"settings": repr(self), "items": None if items is None else len(items)}
        facts |= facts_of(learned) if learned else {"fitted": False}
        if positions is None or items is None or len(items) != len(positions):
            return Card(type(self).__name__, facts)
        first = pd.DataFrame(positions[:ROWS], pd.Index(items.names[:ROWS], name="item"))
        return Card(type(self).__name__, facts, first, len(positions))

    def _repr_mimebundle_(self, **options: Any) -> dict[str, str]:
        html = self._repr_html_() if get_config()["display"] == "diagram" else None
        return {"text/plain": repr(self)} | ({"text/html": html} if html else {})

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        if "classes_" in vars(self):
            tags.estimator_type, tags.classifier_tags = "classifier", ClassifierTags()
        return tags


@cache
def settings_of(constructor: Callable[..., None]) -> tuple[str, ...]:
    return tuple(signature(constructor).parameters)[1:]


class GivesTables:
    """Mixin for ``set_output`` of scikit-learn: positions as an array or as a data frame."""

    get_feature_names_out: Callable[..., Any]

    def set_output(self, *, transform: str | None = None) -> Self:
        """Set the output of ``transform`` and ``fit_transform``, as in scikit-learn."""
        check(transform=(transform, one_of(None, "default", "pandas", "polars")))
        if transform is not None:
            self._sklearn_output_config = {"transform": transform}
        return self

    def _output(self, positions: Floats, items: Items | None) -> Any:
        asked = vars(self).get("_sklearn_output_config", {}).get("transform")
        asked = asked or get_config()["transform_output"]
        if asked == "default":
            return positions
        index = None if items is None else pd.Index(items.names, name="item")
        table = pd.DataFrame(positions, index, self.get_feature_names_out())
        if asked == "pandas":
            return table
        import polars

        return polars.from_pandas(table, include_index=items is not None)


class Embeds(Protocol):
    """The interface of embeddings that cross-validation uses."""

    n_components: Any
    form: Any
    penalty: Any
    callback: Any
    penalty_losses_: Floats
    embedding_: Floats
    choice_: Any
    penalty_: float

    @property
    def chosen_(self) -> dict[str, Any]:
        """The values that the fit chose for settings that are "auto", by name."""

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the positions."""

    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of every possible answer."""

    def row_losses(self, X: Any) -> Floats:
        """Return the loss of each row."""

    def log_loss(self, X: Any) -> float:
        """Return the mean of -log p(answer), in nats."""

    @property
    def _space(self) -> Any:
        """The fitted space, which predicts judgments."""

    @property
    def _space_in_one_place(self) -> Any:
        """The same model with all items at one point."""

    def _choice(self) -> Any:
        """Return the choice model that the settings describe."""

    def _form(self) -> Any:
        """Return the form that the settings describe."""


def is_learned(name: str) -> bool:
    return name.endswith("_") and not name.startswith("_")


def learn_classes(model: Any, y: Any) -> None:
    """Set ``classes_`` for 1-D responses to (False, True) or (-1, 1), as scorers need."""
    vars(model).pop("classes_", None)
    if y is not None and np.ndim(y) == 1:
        model.classes_ = np.array([False, True] if np.asarray(y).dtype == bool else [-1, 1])


def _speaks_classes(model: Any, X: Any) -> bool:
    return "classes_" in vars(model) and not isinstance(X, OneKind)


def in_classes(model: Any, X: Any, columns: NDArray[Any]) -> NDArray[Any]:
    """Convert columns to classes: the last class where the first pair is nearer, else the first."""
    if not _speaks_classes(model, X):
        return columns
    return np.asarray(model.classes_[(columns == 0).astype(int)])


def by_class(model: Any, X: Any, probabilities: Floats) -> Floats:
    return probabilities[:, ::-1] if _speaks_classes(model, X) else probabilities
