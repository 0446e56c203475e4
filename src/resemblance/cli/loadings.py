"""Measure the reproducibility of non-negative dimensions, and write their files."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from resemblance.cli.output import Work
from resemblance.embeddings import (
    LoadingSpread,
    Reproducibility,
    SPoSE,
    loading_spread,
    reproducibility,
)
from resemblance.embeddings.spose import MOST_COMPONENTS
from resemblance.files import whole
from resemblance.judgments import Judgments

FILES = "dimensions.html", "dimensions.csv", "loadings.png"
N_SEEDS, N_SPLITS, N_REFITS = 2, 5, 30
MOST_LISTED = 12  # maximum number of dimensions that are listed


@dataclass
class Loadings:
    """A fit of non-negative loadings, with the reproducibility of its dimensions."""

    model: SPoSE
    again: Reproducibility | None = None
    spread: LoadingSpread | None = None

    def measure(self, judgments: Judgments, work: Work, seed: int) -> None:
        self.again = reproducibility(
            self.model,
            judgments,
            n_seeds=N_SEEDS,
            n_splits=N_SPLITS,
            random_state=seed,
            callback=work.steps("finding the dimensions again"),
        )
        self.spread = loading_spread(
            self.model,
            judgments,
            n_refits=N_REFITS,
            random_state=seed,
            callback=work.steps("how far loadings move"),
        )

    def write(self, folder: Path, title: str, subtitle: str) -> None:
        from resemblance.plotting import save_loadings

        for name in FILES:
            with whole(folder / name) as part:
                save_loadings(
                    self.model,
                    part,
                    reproducibility=self.again,
                    spread=None if name.endswith(".png") else self.spread,
                    title=title,
                    subtitle=subtitle,
                )

    @property
    def at_first(self) -> int:
        """The number of dimensions at the start of the fit, some of which may become empty."""
        asked = self.model.n_components
        return min(MOST_COMPONENTS, len(self.model.items_)) if asked is None else asked

    @property
    def zeros(self) -> float:
        return float((self.model.embedding_ == 0).mean())

    def as_dict(self) -> dict[str, Any]:
        again = self.again
        return {
            "dimensions": self.model.embedding_.shape[1],
            "at_first": self.at_first,
            "penalty": self.model.penalty_,
            "l1_ratio": self.model.l1_ratio,
            "zeros": self.zeros,
            "shares": self.model.shares_.tolist(),
            "reproducibility": again
            and {
                "seeds": again.seeds.tolist(),
                "halves": again.halves.tolist(),
                "n_seeds": again.n_seeds,
                "found_again": again.found_again.tolist(),
                "n_splits": again.n_splits,
            },
        }

    def lines(self) -> list[tuple[str, str]]:
        facts, chosen = self.as_dict(), self.model.penalty == "auto"
        said = (
            f"{facts['dimensions']} dimensions are left of {facts['at_first']}; penalty "
            f"{facts['penalty']:.3g}{', chosen on held-out answers' * chosen}; {self.zeros:.0%} of "
            "loadings are 0"
        )
        return [("loadings", said), *self._found_again()]

    def _found_again(self) -> list[tuple[str, str]]:
        again = self.again
        if again is None:
            return []
        most = int((2 * again.found_again > again.n_splits).sum())
        more = ", …" * (len(again.seeds) > MOST_LISTED)
        each = ", ".join(map(str, again.found_again[:MOST_LISTED])) + more
        return [
            (
                "found again",
                f"{most} of {len(again.seeds)} dimensions, in most of {again.n_splits} splits of "
                f"the answers into halves (each in {each} of {again.n_splits}): name these; the "
                "others may be due to chance, or need more answers",
            )
        ]
