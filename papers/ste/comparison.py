"""Compare the published numbers with ours."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pandas as pd
from settings import HERE, code_state, command_line, results_folder
from studies import STUDIES

# study, error, technique: {dimensions: published}
PUBLISHED = {
    ("music", "error", "GNMDS-X"): {2: 0.254, 10: 0.179, 30: 0.171},
    ("music", "error", "CKL-X"): {2: 0.267, 10: 0.170, 30: 0.167},
    ("music", "error", "STE-K"): {2: 0.264, 10: 0.205, 30: 0.198},
    ("music", "error", "STE-X"): {2: 0.414, 10: 0.320, 30: 0.235},
    ("music", "error", "t-STE"): {2: 0.223, 10: 0.201, 30: 0.201},
    ("music", "neighbour_error", "t-STE"): {2: 0.448},
    ("mnist_release", "error", "GNMDS-X"): {2: 0.345, 10: 0.233},
    ("mnist_release", "error", "CKL-X"): {2: 0.374, 10: 0.248},
    ("mnist_release", "error", "STE-X"): {2: 0.370, 10: 0.276},
    ("mnist_release", "error", "t-STE"): {2: 0.335, 10: 0.284},
    ("mnist_release", "neighbour_error", "t-STE"): {2: 0.668},
}
WORDS = {
    "error": "held-out triplets",
    "neighbour_error": "nearest neighbour",
    "balanced_error": "nearest neighbour, balanced",
}


def read_errors(out: Path, study: str) -> pd.DataFrame | None:
    """Give the table that figure 2 left for a study, if this code has run it."""
    path = out / f"{study}_errors.csv"
    if not path.exists():
        return None
    table = pd.read_csv(path, dtype={"code": str})
    if set(table["code"]) != {code_state(HERE)}:
        print(f"{path} is of other code: run figure2 again")
        return None
    return table.set_index(["split", "technique", "dims"])


def shown(row: pd.Series, error: str) -> str:
    """Write a mean and its standard error."""
    mean, sem = row[f"{error}_mean"], row[f"{error}_sem"]
    return f"{mean:.3f}" if pd.isna(sem) else f"{mean:.3f} ± {sem:.3f}"


def beside_published(tables: dict[str, pd.DataFrame]) -> Iterator[list[str]]:
    """Give a row for each published number: theirs, ours, and which is lower."""
    for (study, error, technique), numbers in PUBLISHED.items():
        for dims, published in numbers.items():
            key = ("random", technique, dims)
            if study not in tables or key not in tables[study].index:
                continue
            ours = tables[study].loc[key]
            slack = 0.0 if pd.isna(ours[f"{error}_sem"]) else ours[f"{error}_sem"]
            holds = ours[f"{error}_mean"] <= published + slack
            verdict = "no worse" if holds else "**worse**"
            cells = [study, technique, str(dims), WORDS[error], f"{published:.3f}"]
            yield [*cells, shown(ours, error), verdict]


def in_two_dimensions(table: pd.DataFrame) -> Iterator[list[str]]:
    """Give the errors of every technique in the plane, least balanced error first."""
    plane = table.xs(2, level="dims").sort_values("balanced_error_mean")
    for (split, technique), row in plane.iterrows():
        yield [split, technique, f"{row['folds']:.0f}", *(shown(row, error) for error in WORDS)]


def held_out(table: pd.DataFrame) -> Iterator[list[str]]:
    """Give the held-out error of every technique at every number of dimensions."""
    dims = table.index.unique("dims").sort_values()
    for (split, technique), rows in table.groupby(["split", "technique"]):
        found = rows.droplevel(["split", "technique"])
        cells = (shown(found.loc[d], "error") if d in found.index else "" for d in dims)
        yield [split, technique, *cells]


def markdown(head: Sequence[str], rows: Iterator[list[str]]) -> str:
    """Write a table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def report(out: Path) -> str:
    """Write all that the studies found, the published numbers first."""
    found = {study: read_errors(out, study) for study in STUDIES}
    tables = {study: table for study, table in found.items() if table is not None}
    head = ["study", "technique", "dimensions", "error", "published", "here", "within one SE"]
    parts = [
        "## Beside the published numbers (random folds)\n",
        markdown(head, beside_published(tables)),
    ]
    for study, table in tables.items():
        dims = [f"{d} dims" for d in table.index.unique("dims").sort_values()]
        parts += [
            f"## {study}: held-out triplets\n",
            markdown(["folds", "technique", *dims], held_out(table)),
            f"## {study}: in two dimensions\n",
            markdown(["folds", "technique", "run", *WORDS.values()], in_two_dimensions(table)),
        ]
    return "\n".join(parts)


def main(arguments: Sequence[str] | None = None) -> None:
    """Write comparison.md out of the tables that figure 2 left."""
    out = results_folder(command_line(__doc__ or "").parse_args(arguments))
    text = report(out)
    (out / "comparison.md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
