"""Measure how well network features and published dimensions explain people's answers."""

from collections.abc import Sequence

import pandas as pd
from settings import CEILING, Run, command_line

import resemblance as rs


def observers(run: Run) -> dict[str, rs.ModelObserver]:
    """Make an observer of each table of vectors."""
    clip, spose, items = run.array("clip_vit_b32"), run.array("spose49"), run.items()
    centred = clip - clip.mean(axis=0)
    return {
        "CLIP, dot": rs.ModelObserver(clip, "dot", items=items),
        "CLIP, cosine": rs.ModelObserver(clip, "cosine", items=items),
        "CLIP, centred, cosine": rs.ModelObserver(centred, "cosine", items=items),
        "CLIP, euclidean": rs.ModelObserver(clip, "euclidean", items=items),
        "SPoSE-49, dot": rs.ModelObserver(spose, "dot", items=items),
        "SPoSE-49, cosine": rs.ModelObserver(spose, "cosine", items=items),
    }


def explained(run: Run) -> pd.DataFrame:
    """Score each observer on the test file, against the published ceiling."""
    test, found = run.answers("test"), []
    for name, observer in observers(run).items():
        told = rs.explained(observer, test, CEILING)
        low, high = told.interval
        row = {"model": name, "accuracy": told.accuracy, "log loss": told.log_loss}
        row |= {"temperature": told.temperature, "lapse": told.lapse}
        found.append(row | {"share of ceiling": told.share, "low": low, "high": high})
    return run.write("models", found)


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the table."""
    explained(Run.of(command_line(__doc__ or "").parse_args(arguments)))


if __name__ == "__main__":
    main()
