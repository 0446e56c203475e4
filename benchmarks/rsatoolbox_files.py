"""RDMs beside rsatoolbox: it reads what we write, we read what it writes, and values are equal.

    python benchmarks/rsatoolbox_files.py --python PEER [--repository CODE]

PEER is the interpreter of an environment with rsatoolbox (pip install rsatoolbox), CODE a copy of
github.com/rsagroup/rsatoolbox, whose demos and tests have files of Meadows and of MATLAB's toolbox.
"""

import argparse
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from scipy.io import loadmat

import resemblance as rs
from resemblance.catalog import RDM_SIMILARITIES
from resemblance.rdms.similarity import similarities

WORKER = Path(__file__).parent / "peers" / "rsatoolbox_worker.py"
DEMOS = {  # file, variable: where the name of each is, and its matrix
    "demos/92imageData/92_behavRDMs.mat": "rdms_behav_92",
    "demos/92imageData/92_brainRDMs.mat": "RDMs",
    "demos/92imageData/92_modelRDMs.mat": "Models",
    "demos/rdms_inferring/modelRDMs_A2020.mat": "modelRDMs",
}
MEADOWS = (
    "tests/data/Meadows_myExp_v_v1_arrangement_1D.mat",
    "tests/data/Meadows_myExp_v_v1_cuddly-bunny_3_1D.mat",
    "tests/data/Meadows_twoMaTasks_v_v1_informed-mole_tree.json",
)


def main() -> None:
    """Check all of it, and print what was compared."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", required=True, help="of the environment with rsatoolbox")
    parser.add_argument("--repository", type=Path, help="a copy of its code, for its files")
    told = parser.parse_args()
    with TemporaryDirectory() as folder:
        lines = [*ours(told.python, Path(folder)), *theirs(told.python, Path(folder))]
        lines += compared(told.python, Path(folder))
    if told.repository is not None:
        lines += [*demos(told.repository), *meadows(told.python, told.repository)]
    print("\n".join(lines))


def ask(python: str, *arguments: object) -> dict:
    """Ask rsatoolbox."""
    command = [python, str(WORKER), *map(str, arguments)]
    found: dict = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    return found


def people(seed: int, n: int, items: list[str]) -> rs.RDMs:
    """Draw RDMs."""
    rng = np.random.default_rng(seed)
    values = rng.random((n, len(items) * (len(items) - 1) // 2))
    return rs.RDMs(values, items, [f"person {i}" for i in range(n)], "euclidean")


def ours(python: str, folder: Path) -> Iterator[str]:
    """Have rsatoolbox read what we write."""
    for names in (["x", "y y", "z", "w"], ["grün", "日本", "élan", "plain"]):
        mine = people(0, 3, names)
        rs.write_rdms(mine, folder / "ours.h5")
        found = ask(python, "read", folder / "ours.h5")
        assert np.array_equal(found["dissimilarities"], mine.dissimilarities)
        assert found["items"]["conds"] == names
        assert found["names"]["name"] == list(mine.names)
        assert found["measure"] == "euclidean"
        yield f"rsatoolbox reads ours: items {', '.join(names)}: equal"


def theirs(python: str, folder: Path) -> Iterator[str]:
    """Read what rsatoolbox writes."""
    for name, known in ask(python, "write", folder).items():
        found = rs.read_rdms(folder / name)
        key = next((k for k in ("conds", "stimulus") if k in known["items"]), "index")
        assert np.array_equal(found.dissimilarities, known["dissimilarities"])
        assert list(found.items.names) == known["items"][key]
        assert found.measure == known["measure"]
        yield f"we read its {name}: {found}, measure {found.measure}: equal"


def compared(python: str, folder: Path) -> Iterator[str]:
    """Compare similarities and noise ceilings, with ties too."""
    first, second = people(1, 4, list("abcdefgh")), people(2, 2, list("abcdefgh"))
    second = rs.RDMs(second.dissimilarities.round(1), second.items, second.names)
    rs.write_rdms(first, folder / "first.h5")
    rs.write_rdms(second, folder / "second.h5")
    asked = ask(python, "compare", folder / "first.h5", folder / "second.h5")
    for method in RDM_SIMILARITIES:
        mine = similarities(first.dissimilarities, second.dissimilarities, method)
        off = np.abs(mine - asked[method]["similarities"]).max()
        ceiling = rs.rdm_noise_ceiling(first, method)
        apart = np.abs(np.array(ceiling[:2]) - asked[method]["ceiling"]).max()
        assert max(off, apart) < 1e-12
        yield f"{method}: similarities differ by {off:.0e}, noise ceilings by {apart:.0e}"


def demos(repository: Path) -> Iterator[str]:
    """Read the RDMs of its demos."""
    for path, variable in DEMOS.items():
        found = rs.read_rdms(repository / path)
        cells = loadmat(repository / path)[variable].ravel(order="F")
        squares = found.squares()
        for cell, row, square in zip(cells, found.dissimilarities, squares, strict=True):
            known = cell["RDM"]
            same = square if known.shape[0] == known.shape[1] else row[None]
            assert np.array_equal(known.astype(float), same) or np.allclose(known, same, atol=1e-7)
        yield f"we read its {path}: {found}: equal"


def meadows(python: str, repository: Path) -> Iterator[str]:
    """Read files of Meadows as it does."""
    for path in MEADOWS:
        found, known = rs.read_rdms(repository / path), ask(python, "meadows", repository / path)
        assert np.array_equal(found.dissimilarities, known["dissimilarities"])
        assert list(found.items.names) == known["items"]["conds"]
        yield f"we read its {path} as it does: {found}: equal"


if __name__ == "__main__":
    main()
