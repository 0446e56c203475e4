"""Options of `fit` about the model, and the estimator that they describe.

The models are in `resemblance.catalog`, each with the options that it takes; what an option means,
and which values it may have, is said here once. Help, refusals and estimators follow.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from inspect import signature
from math import inf
from typing import Annotated, Any

import typer

from resemblance.catalog import ALL_MODELS, OFFERED
from resemblance.cli.options import FEATURES, MODEL, Names, kernels_of, option
from resemblance.cli.problems import with_options
from resemblance.errors import SettingError
from resemblance.recipe import Recipe

Range = tuple[Callable[[float], bool], str]
POSITIVE: Range = (lambda x: 0 < x < inf), "a positive number"
NOT_NEGATIVE: Range = (lambda x: 0 <= x < inf), "0 or a positive number"
SHARE: Range = (lambda x: 0 <= x < 1), "a share from 0 to below 1"
THREADS: Range = (lambda x: x >= 1 or x == -1), "1 or more, or -1 for all cores"
MIX: Range = (lambda x: 0 <= x <= 1), "a share from 0 to 1"
KERNELS = (*("rbf", "linear", "polynomial", "cosine", "tfidf", "chi2", "histogram", "precomputed"),)


@dataclass(frozen=True)
class Setting:
    help: str
    kind: Any = float
    panel: str = MODEL
    range: Range | None = None
    among: tuple[str, ...] = ()
    parser: Callable[[str], Any] | None = None
    metavar: str = "NUMBER"

    def annotation(self, name: str) -> Any:
        """Return the parameter of the command; its help lists the models."""
        models = ", ".join(model for model, entry in ALL_MODELS.items() if name in entry.options)
        among = f": {', '.join(self.among)}" if self.among else ""
        if self.kind is bool:
            return Annotated[bool, option(f"{self.help} ({models})", panel=self.panel)]
        parser = one_of(self.among) if self.among else self.parser
        settings: dict[str, Any] = {"panel": self.panel, "parser": parser, "metavar": self.metavar}
        return Annotated[self.kind | None, option(f"{self.help}{among} ({models}).", **settings)]

    def check(self, name: str, value: Any) -> None:
        if self.range is not None and not self.range[0](value):
            flag = name.replace("_", "-")
            raise SettingError(f"--{flag} is {value:g}: give {self.range[1]}", setting=name)


def one_of(names: Iterable[str]) -> Callable[[str], str]:
    """Return a parser for Typer that accepts certain names."""

    def name(text: str) -> str:
        if text not in names:
            raise typer.BadParameter(f"{text!r} is unknown: choose {', '.join(names)}")
        return text

    return name


SETTINGS = {
    "form": Setting("What is fitted", str, among=("coordinates", "gram"), metavar="NAME"),
    "penalty": Setting(
        "The factor of a trace or squared norm. Default: chosen on held-out answers; of gnmds and "
        "soe 0, of a Gram matrix 1",
        range=NOT_NEGATIVE,
    ),
    "l1_ratio": Setting(
        "The share of the penalty that counts loadings, not their squares: more of it leaves fewer "
        "dimensions. Default: 0.25",
        range=MIX,
        metavar="SHARE",
    ),
    "alpha": Setting("Degrees of freedom. Default: dimensions - 1, at least 1", range=POSITIVE),
    "mu": Setting("What keeps answers apart from certainty. Default: 0.05", range=POSITIVE),
    "margin": Setting("By how much distances have to differ. Default: 1", range=POSITIVE),
    "n_init": Setting("Descents, of which the best is kept", int),
    "max_iter": Setting("Iterations of a descent at most", int),
    "n_jobs": Setting(
        "Threads at a time, which changes no result; -1 is all cores. Default: 1",
        *(int, MODEL),
        range=THREADS,
    ),
    "device": Setting(
        "cuda, or cuda:1: an NVIDIA card, for a million answers or more. Default: cpu",
        *(str, MODEL),
        metavar="NAME",
    ),
    "kernel": Setting("Of the features", str, FEATURES, among=KERNELS, metavar="NAME"),
    "kernels": Setting(
        "One for each view, as tags=tfidf,sound=rbf. Default: --kernel for all",
        *(dict[str, str], FEATURES),
        parser=kernels_of,
        metavar="VIEW=NAME,...",
    ),
    "bandwidth": Setting(
        "Of the rbf kernel, in units of the features. Default: of yada chosen, of 1/4 to 8 "
        "standard deviations of the features; else the median distance of the items",
        panel=FEATURES,
        range=POSITIVE,
    ),
    "beta": Setting(
        "The weight of the answers beside the penalty. Default: chosen, of 0.01 to 10,000,000",
        panel=FEATURES,
        range=POSITIVE,
    ),
    "diagonal": Setting("A weight for each item of each kernel", bool, FEATURES),
    "choice": Setting(
        "How a distance becomes an error",
        *(str, FEATURES),
        among=("gaussian", "exponential"),
        metavar="NAME",
    ),
    "lapse": Setting(
        "The share of answers given by chance", float, FEATURES, SHARE, metavar="SHARE"
    ),
    "monotone": Setting(
        "Features with which the coordinate of the same number is to rise, as length,angle",
        *(Names, FEATURES),
        parser=Names.of,
        metavar="COLUMNS",
    ),
    "one_to_one": Setting("No two stimuli are to share a place", bool, FEATURES),
}


def with_settings(command: Callable[..., None]) -> Callable[..., None]:
    defaults = {name: False if s.kind is bool else None for name, s in SETTINGS.items()}
    options = {name: (s.annotation(name), defaults[name]) for name, s in SETTINGS.items()}
    return with_options(command, options, signature(command))


def check_options(name: str, given: Iterable[str], n_features: int) -> None:
    model = OFFERED[name]
    offered = {option for other in ALL_MODELS.values() for option in other.options}
    for wrong in (o for o in given if o in offered and o not in model.options):
        takers = [taker for taker, other in ALL_MODELS.items() if wrong in other.options]
        raise SettingError(
            f"--{wrong.replace('_', '-')} is no option of {name}: leave it out, or take --model "
            f"{' or '.join(takers)}",
            setting=wrong,
        )
    if model.features and not n_features:
        raise SettingError(f"{name} maps features: give them with --features FILE")
    if n_features > max(model.features, 1) and not model.believes:
        several = " or ".join(n for n, m in OFFERED.items() if m.features > 1 or m.believes)
        raise SettingError(
            f"{name} takes one file of --features: take --model {several} for several"
        )


def recipe_of(
    model: str,
    settings: Mapping[str, Any],
    dims: int | str | None,
    seed: int,
    informed: bool = False,
) -> Recipe:
    for name, value in settings.items():
        SETTINGS[name].check(name, value)
    for view, kernel in settings.get("kernels", {}).items():
        if kernel not in KERNELS:
            problem = f"--kernels gives {view} the kernel {kernel}: choose {', '.join(KERNELS)}"
            raise SettingError(problem, setting="kernels")
    recipe = Recipe(model, settings, dims, seed, informed=informed)
    if "bandwidth" in settings and recipe.described.kind == "confusions":
        kernel = settings.get("kernel", "rbf")
        if kernel != "rbf":
            raise SettingError(f"--bandwidth is of --kernel rbf, not of {kernel}: leave it out")
    return recipe
