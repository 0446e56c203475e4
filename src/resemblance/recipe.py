"""Recipe of an estimator: the model, given settings, and settings that are still open."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from resemblance.catalog import AUTO_MODEL, MODEL, OFFERED, PRIOR, Model, cited, find
from resemblance.errors import SettingError, count

AUTO = "auto"


@dataclass(frozen=True)
class Recipe:
    """A model with its settings, its number of dimensions and the seed."""

    model: str = MODEL  # name in the catalog; "auto" means the best model on held-out answers
    settings: Mapping[str, Any] = field(default_factory=dict)
    dims: int | str | None = None  # None for the model's default
    seed: int = 0
    base: Any = None  # an estimator to copy; None if the model is given by name
    informed: bool = False  # whether features are used as a prior of positions

    def __post_init__(self) -> None:
        described = self.described
        if self.informed and not described.believes:
            raise SettingError(
                f"{self.model} cannot use features as a prior: leave them out, or choose tste, "
                "ste, ckl or auto.",
                setting="features",
            )
        if self.informed and self.settings.get("form", "coordinates") != "coordinates":
            raise SettingError(
                "a Gram matrix cannot use features as a prior: leave out the form or the features.",
                setting="form",
            )
        if self.dims == AUTO and described.features:
            raise SettingError(
                f"dims is 'auto', which does not work with {self.model}: give a number.",
                setting="dims",
            )
        if self.dims == AUTO and described.sparse:
            raise SettingError(
                f"dims is 'auto', but {self.model} removes dimensions that it does not need: leave "
                "dims out, or give the number to start with.",
                setting="dims",
            )

    @classmethod
    def of(
        cls, model: Any, dims: int | str | None, seed: int = 0, informed: bool = False
    ) -> Recipe:
        """Return a recipe from the name of a model or an estimator; dims may be "auto"."""
        if isinstance(model, str):
            return cls(model, dims=dims, seed=seed, informed=informed)
        name, own = type(model).__name__, model.n_components
        if informed:
            raise SettingError(
                f"features=True needs a model by name, not a {name}: leave it out, or set "
                "form=FeaturePrior().",
                setting="features",
            )
        if dims not in (None, AUTO, own):
            raise SettingError(
                f"dims is {dims}, but the {name} has {own}: leave dims out, or set n_components.",
                setting="dims",
            )
        return cls(name.lower(), dims=AUTO if dims == AUTO else own, seed=seed, base=model)

    @property
    def described(self) -> Model:
        """The model's entry in the catalog; for a given estimator an entry without settings."""
        if self.base is not None:
            name = type(self.base).__name__
            return Model(cited(name)[0], "", n_components=self.base.n_components)
        return find(OFFERED, "model", self.model)

    @property
    def chooses_model(self) -> bool:
        return self.model == AUTO_MODEL

    @property
    def open(self) -> list[str]:
        left = [name for name in self.described.searched if name not in self.settings]
        linear = self.settings.get("kernel", "rbf") != "rbf"
        return [name for name in left if not (linear and name == "bandwidth")]

    def need_held_out(self, is_held_out: bool) -> None:
        """Raise an error if the number of dimensions is to be chosen without held-out answers."""
        if self.dims == AUTO and not is_held_out:
            raise SettingError(
                "dims is 'auto', but no answers are held out to choose it: give 2 folds or "
                "more, or a number.",
                setting="dims",
            )

    def estimator(
        self, dims: int | None, callback: Callable[..., Any] | None = None, **chosen: Any
    ) -> Any:
        """Return the unfitted estimator; ``chosen`` are values of the open settings."""
        if self.base is not None:
            from sklearn.base import clone

            watched = {} if callback is None else {"callback": callback}
            return clone(self.base).set_params(n_components=dims, **watched)
        kind = self.described.load()
        takes = kind._get_param_names()
        settings = {**self.settings, **chosen, "callback": callback, "random_state": self.seed}
        if self.settings.get("form") != "gram" and "penalty" in self.described.settings:
            settings.setdefault("penalty", self.described.settings["penalty"])
        if self.informed:
            settings["form"] = chosen.get("form") or PRIOR.make()
        if "kernels" in takes:
            settings.setdefault("kernels", settings.get("kernel", "rbf"))
        return kind(n_components=dims, **{name: v for name, v in settings.items() if name in takes})

    def title(self, model: Any) -> str:
        """Return a title for a fitted model: its name, special settings and dimensions."""
        n = model.embedding_.shape[1]
        kinds = {"gram": "Gram matrix", True: "diagonal"}
        words = [self.described.title]
        words += [
            kinds[v] for n, v in self.settings.items() if n in ("form", "diagonal") and v in kinds
        ]
        if self.informed:
            words.append("with features")
        if "kernel" in self.settings:
            words.append(f"{self.settings['kernel']} kernel")
        return ", ".join([*words, count(n, "dimension")])
