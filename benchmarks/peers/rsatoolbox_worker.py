"""What rsatoolbox reads and writes, in an interpreter of its own: as JSON.

python rsatoolbox_worker.py read FILE        the RDMs of a file
python rsatoolbox_worker.py write FOLDER     files of its own, and what is in them
python rsatoolbox_worker.py compare A B      the similarities of two files, by each method
python rsatoolbox_worker.py meadows FILE     the RDMs of a file of Meadows
"""

import json
import sys
from pathlib import Path

import numpy as np
from rsatoolbox.inference import boot_noise_ceiling
from rsatoolbox.io.meadows import load_rdms
from rsatoolbox.rdm import RDMs, compare, load_rdm

METHODS = {
    "spearman": "spearman",
    "pearson": "corr",
    "cosine": "cosine",
    "rho-a": "rho-a",
    "kendall tau-a": "tau-a",
}


def told(rdms: RDMs) -> dict:
    """Tell what is in RDMs."""
    return {
        "dissimilarities": rdms.dissimilarities.tolist(),
        "measure": rdms.dissimilarity_measure,
        "items": {k: list(map(str, v)) for k, v in rdms.pattern_descriptors.items()},
        "names": {k: list(map(str, v)) for k, v in rdms.rdm_descriptors.items()},
    }


def write(folder: Path) -> dict:
    """Write RDMs with several kinds of descriptors."""
    rng = np.random.default_rng(0)
    made = {
        "plain.h5": RDMs(rng.random((3, 10))),
        "named.hdf5": RDMs(
            rng.random((2, 6)),
            dissimilarity_measure="crossnobis",
            descriptors={"session": 1, "task": "faces"},
            rdm_descriptors={"subject": ["s1", "s2"], "session": [1, 1]},
            pattern_descriptors={"conds": np.array(["a", "b b", "c", "d"]), "run": [1, 1, 2, 2]},
        ),
        "one.h5": RDMs(rng.random((1, 3)), pattern_descriptors={"stimulus": ["x", "y", "z"]}),
    }
    for name, rdms in made.items():
        rdms.save(str(folder / name), overwrite=True)
    return {name: told(rdms) for name, rdms in made.items()}


def similarities(first: RDMs, second: RDMs) -> dict:
    """Compare by each method, and tell the noise ceilings of the first."""
    return {
        name: {
            "similarities": compare(first, second, theirs).tolist(),
            "ceiling": [float(x) for x in boot_noise_ceiling(first, theirs)],
        }
        for name, theirs in METHODS.items()
    }


def main() -> None:
    what, *paths = sys.argv[1:]
    if what == "write":
        found = write(Path(paths[0]))
    elif what == "compare":
        found = similarities(*map(load_rdm, paths))
    else:
        found = told(load_rdm(paths[0]) if what == "read" else load_rdms(paths[0], sort=False))
    print(json.dumps(found))


if __name__ == "__main__":
    main()
