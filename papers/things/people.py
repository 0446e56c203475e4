"""Test whether people weigh dimensions differently, against shuffled answers."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from settings import Run, command_line, known_question

import resemblance as rs


def of_objects(run: Run) -> rs.IndividualSpaces:
    """Weigh the published dimensions for each person who judged objects."""
    table, items, spose = run.table("people"), run.items(), run.array("spose49")
    rows = table[["kept_a", "kept_b", "odd"]].to_numpy()
    told = rs.OddOneOuts(rows, rows[:, 2], items, observer=table["person"].to_numpy())
    told = told[~known_question(told, run.answers("test"))]
    known = rs.SPoSE(spose.shape[1]).set_positions(spose, items)
    return rs.IndividualSpaces(known, keep_space=True, random_state=0).fit(told)


def of_faces(run: Run) -> rs.IndividualSpaces:
    """Fit one space of faces, and each person's weights."""
    folder = run.data / "cfd36"
    table = pd.read_csv(folder / "triplets_derived.csv.gz")
    table = table[table["sampleAlg"] == "random"]
    columns = table[["head", "winner", "loser"]].to_numpy()
    names, index = np.unique(columns, return_inverse=True)
    told = rs.Triplets(
        index.reshape(columns.shape),
        [str(name) for name in names],
        observer=table["person"].to_numpy(),
    )
    shared = rs.STE(2 if run.quick else 3, penalty="auto", random_state=0)
    return rs.IndividualSpaces(shared, random_state=0).fit(told)


def gains(run: Run) -> pd.DataFrame:
    """Say by how much own weights lower the log loss of answers held out."""
    found = []
    for name, fit in (("objects, SPoSE-49", of_objects), ("faces", of_faces)):
        model = fit(run)
        gain, shuffled = model.gain_, model.shuffled_gain_
        row = {"data": name, "people": len(model.people_), "strength": model.strength_}
        row |= {"gain (nats)": gain[0], "standard error": gain[1]}
        found.append(row | {"shuffled": shuffled[0], "its error": shuffled[1]})
    return run.write("people", found)


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the table."""
    gains(Run.of(command_line(__doc__ or "").parse_args(arguments)))


if __name__ == "__main__":
    main()
