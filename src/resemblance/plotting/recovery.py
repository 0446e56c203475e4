"""Which of several models is found from the answers of each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes

from resemblance.plotting.canvas import INK, MUTED, bare, new_axes, plain, title_of

if TYPE_CHECKING:
    from resemblance.scores import Recovery

MOST_NUMBERS = 12  # models whose shares are written into the cells
LEAST_NAMED = 0.005  # a share that is written
DARK = 0.5  # shares above it have light numbers


def plot_recovery(recovery: Recovery, ax: Axes | None = None, *, title: str | None = None) -> Axes:
    """Draw who is found from the answers of each model, and what the people's answers say.

    A row is a model, best first, with the log loss of people's answers and the share of draws of
    people in which it is the best; a cell is the share of simulations of its answers in which the
    model of the column was found. Answers that can tell give a dark diagonal.

    Parameters
    ----------
    recovery : Recovery
        What :func:`resemblance.model_recovery` or :func:`resemblance.rdm_recovery` found.
    ax : matplotlib Axes, optional
        Where to draw; by default on a figure of its own (`ax.figure.savefig(path)` writes it).
    title : str, optional
        Title of the picture; what may be concluded stands below it.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> import resemblance as rs
    >>> points = 2 * np.random.default_rng(0).normal(size=(9, 2))
    >>> questions = rs.Triplets([[0, a, b] for a in range(1, 9) for b in range(1, a)])
    >>> answers = rs.SpaceObserver(points, random_state=0).answer(questions)
    >>> models = {"two": rs.ModelObserver(points, "euclidean"),
    ...           "none": rs.ModelObserver(np.arange(9.0)[:, None], "euclidean")}
    >>> ax = plot_recovery(rs.model_recovery(models, answers, n_simulations=9))
    >>> [text.get_text() for text in ax.get_xticklabels()]
    ['two', 'none']
    """
    table = recovery.to_pandas()
    order = [recovery.names.index(name) for name in table.index]
    confusion, n = recovery.confusion[np.ix_(order, order)], len(order)
    ax = new_axes((4.4 + 0.6 * n, 2.0 + 0.5 * n), shaped=False) if ax is None else ax
    ax.imshow(confusion, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    if n <= MOST_NUMBERS:
        for (row, column), share in np.ndenumerate(confusion):
            if share >= LEAST_NAMED:
                ink = "white" if share > DARK else INK
                ax.text(column, row, f"{share:.2f}", ha="center", va="center", color=ink, size=9)
    words = recovery.measure.replace("_", " ")
    labels = [
        f"{name}\n{words} {row[recovery.measure]:.3f}, best in {row.found_again:.0%}"
        for name, row in table.iterrows()
    ]
    ax.set_yticks(range(n), labels, **plain)
    ax.set_xticks(range(n), list(table.index), rotation=30, ha="right", **plain)
    ax.set(xlabel="the model that is found", ylabel="answers of")
    ax.tick_params(length=0)
    bare(ax)
    for label in (ax.xaxis.label, ax.yaxis.label):
        label.set_color(MUTED)
    title_of(ax, title or "Which model is found", recovery.sentence, 0.55)
    return ax
