"""Draw figure 4: the map of 400 music artists by t-STE, from all triplets."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from settings import command_line, results_folder
from techniques import TECHNIQUES

import resemblance as rs

PENALTY = 0.001  # keeps three artists with few answers from running away; changes little else


def draw_map(triplets: rs.Triplets, out: Path) -> pd.Series:
    """Fit two dimensions; write positions, picture and page; give the errors of the map."""
    model = TECHNIQUES["t-STE"].fit(triplets, 2, PENALTY)
    items = triplets.items
    positions = pd.DataFrame(model.embedding_, index=items.names, columns=["x", "y"])
    positions.assign(genre=items.labels).to_csv(out / "music_map.csv", index_label="artist")
    words = {
        "title": f"{len(items)} music artists, as people compare them",
        "subtitle": f"t-STE of {len(triplets):,} answers; colours are genres, which it never saw",
        "flagged": model.unmentioned_,
    }
    for suffix in ("png", "html"):
        rs.save_map(model.embedding_, out / f"music_map.{suffix}", items, **words)
    return map_errors(model.embedding_, triplets)


def map_errors(embedding: object, triplets: rs.Triplets) -> pd.Series:
    """Give the errors of a map: on the triplets it was made from, and of nearest neighbours."""
    labels = triplets.items.labels
    return pd.Series(
        {
            "triplets violated": rs.triplet_error(embedding, triplets),
            "neighbour error": rs.neighbour_error(embedding, labels),
            "balanced neighbour error": rs.neighbour_error(embedding, labels, balanced=True),
            "always the largest class": rs.scores.majority_error(labels),
        }
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Draw the map; `--quick` fits a third of the triplets."""
    chosen = command_line(__doc__ or "").parse_args(arguments)
    triplets = rs.datasets.fetch_music_artists(path=chosen.data / "music").judgments
    out = results_folder(chosen)
    errors = draw_map(triplets[::3] if chosen.quick else triplets, out)
    errors.to_csv(out / "music_map_errors.csv", header=["share"])
    print(errors.round(3).to_string())


if __name__ == "__main__":
    main()
