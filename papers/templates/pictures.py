"""Draw figures 5 to 8: templates, masks and means of quadrants of simulated observers.

The figures show for each observer the prototypes of the paper's algorithm, and the templates of the
full procedure with maps of their distance from 0 in standard errors.
"""

import numpy as np
from matplotlib.figure import Figure
from settings import command_line, results_folder
from simulated import KINDS, TASK, session

import resemblance as rs


def stimuli() -> Figure:
    """Draw figure 4: the four stimuli without noise, and one with it."""
    noisy = TASK.draw(3, 0.25, random_state=0)[0] / 4
    images = np.concatenate([TASK.signals, [noisy]])
    names = [*TASK.labels, "bottom, as shown"]
    title = "The task: a square in noise"
    return rs.plot_templates(images, name="stimulus", labels=names, title=title)


def main(arguments: list[str] | None = None) -> None:
    """Draw what is found of one observer of each kind."""
    parser = command_line((__doc__ or "").splitlines()[0])
    parser.add_argument("--trials", type=int, default=4000)
    chosen = parser.parse_args(arguments)
    out = results_folder(chosen)
    n = 400 if chosen.quick else chosen.trials
    stimuli().savefig(out / "figure4.png", dpi=150)
    for kind in KINDS:
        _, trials = session(kind, n, seed=0)
        model = rs.DecisionTemplates(random_state=0).fit(trials)
        alone = f"{kind} observer, {n:,} trials: paper's algorithm alone"
        figure = rs.plot_templates(model.classifier_, regions=TASK.regions, title=alone)
        figure.savefig(out / f"{kind}_prototypes.png", dpi=150)
        maps = rs.template_uncertainty(
            model, trials, n_resamples=10 if chosen.quick else 100, random_state=0
        )
        full = f"{kind} observer, {n:,} trials: full procedure"
        figure = rs.plot_templates(model, maps.z, mask_name="z", regions=TASK.regions, title=full)
        figure.savefig(out / f"{kind}_templates.png", dpi=150)
        linear = rs.classification_image(trials, within=trials.extra["place"])
        figure = rs.plot_templates(
            linear.image[None],
            linear.z[None],
            name="classification image",
            mask_name="z",
            labels=[f"towards {linear.towards}"],
            image_shape=trials.image_shape,
        )
        figure.savefig(out / f"{kind}_classification_image.png", dpi=150)


if __name__ == "__main__":
    main()
