"""Draw figures 1, 2 and 3: three sets in the plane, and their prototypes."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Ellipse
from settings import command_line, results_folder

import resemblance as rs

SETS = {"bands": 3, "circles": 2, "overlapping_gaussians": 2}  # prototypes in the paper
COLOURS = np.array(["#2a4fd0", "#d03a2a"])


def count(name: str, covariance: str, seed: int) -> dict[str, object]:
    """Count the prototypes of one set."""
    points, classes = getattr(rs.stimuli, name)(random_state=seed)
    model = rs.TemplateClassifier(covariance=covariance, random_state=seed).fit(points, classes)
    return {
        "set": name,
        "covariance": covariance,
        "seed": seed,
        "prototypes": len(model.labels_),
        "error_rate": round(model.error_rate_, 4),
    }


def draw(name: str) -> Figure:
    """Draw the set, and beside it its prototypes; what they label wrongly is pale."""
    points, classes = getattr(rs.stimuli, name)(random_state=0)
    model = rs.TemplateClassifier(covariance="full", random_state=0).fit(points, classes)
    figure = Figure(figsize=(9, 4.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    for ax in (left, right):
        ax.scatter(*points.T, s=9, c=COLOURS[classes - 1], lw=0)
        ax.set(aspect="equal", xticks=[], yticks=[])
    wrong = model.predict(points) != classes
    right.scatter(*points[wrong].T, s=9, c="#35c4c4", lw=0)
    for centre, shape in zip(model.templates_, model.covariances_, strict=True):
        ellipse(right, centre, shape)
    left.set_title("training set")
    right.set_title(f"{len(model.labels_)} prototypes, {model.error_rate_:.1%} mislabelled")
    return figure


def ellipse(ax: Axes, centre: np.ndarray, shape: np.ndarray) -> None:
    """Draw a Gaussian at two standard deviations, and its centre."""
    values, vectors = np.linalg.eigh(shape)
    angle = np.degrees(np.arctan2(*vectors[::-1, 1]))
    width, height = 4 * np.sqrt(values[::-1])
    ax.add_patch(Ellipse(centre, width, height, angle=angle, fill=False, ec="#2f9e44", lw=1.6))
    ax.plot(*centre, "o", ms=9, mfc="#ffd43b", mec="#222222")


def main(arguments: list[str] | None = None) -> None:
    """Count prototypes over seeds, and draw the figures."""
    parser = command_line(__doc__ or "")
    parser.add_argument("--seeds", type=int, default=10)
    chosen = parser.parse_args(arguments)
    out = results_folder(chosen)
    seeds = 2 if chosen.quick else chosen.seeds
    kinds = ("full", "shrunk", "diagonal")
    rows = [count(name, kind, s) for name in SETS for kind in kinds for s in range(seeds)]
    found = pd.DataFrame(rows)
    found.to_csv(out / "synthetic.csv", index=False)
    lines = [
        "| set | covariance | seeds | as in the figure | mean error rate |",
        "|---|---|---|---|---|",
    ]
    for (name, kind), part in found.groupby(["set", "covariance"], sort=False):
        right = (part["prototypes"] == SETS[name]).sum()
        lines.append(
            f"| {name} ({SETS[name]}) | {kind} | {len(part)} | {right} | "
            f"{part['error_rate'].mean():.3f} |"
        )
    (out / "synthetic.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines))
    for number, name in enumerate(SETS, 1):
        draw(name).savefig(out / f"figure{number}.png", dpi=150)


if __name__ == "__main__":
    main()
