"""Estimate templates of a person who detects a flicker in noise, instead of the four subjects.

Thomas & Knoblauch (2005), J. Opt. Soc. Am. A 22, 2257: 3,584 yes-no trials with noise of 32 samples
and, in some, a signal (a Gabor in time of two cycles). The data contain the noise, and whether the
signal was present. Templates are estimated (a) from the noise, with presence as a further "pixel"
in a separate region, and (b) from noise plus signal, with the amplitude of the highest held-out
likelihood.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from settings import command_line, results_folder

import resemblance as rs

FOLDER = "gabor_classification_image"
AMPLITUDES = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3)
PER_SESSION = 224
BLUE = "#2a4fd0"


def read(data: Path) -> tuple[rs.Classifications, np.ndarray, np.ndarray]:
    """Read the trials; give their noise, the signal at amplitude 1, and the times in seconds."""
    names = {"stimuli": "noise", "label": "response_yes", "shown": "signal_present"}
    path = data / FOLDER / "gabor_trials_derived.npz"
    trials = rs.read_classifications(path, columns=names)
    with np.load(path) as archive:
        time = archive["time_s"]
    middle = time.mean()
    window = np.exp(-((time - middle) ** 2) / (2 * 0.16**2))
    signal = np.sin(2 * np.pi * 2 * (time - middle) / 0.64) * window
    group = np.arange(len(trials)) // PER_SESSION
    noise = np.asarray(trials.stimuli, float)
    return rs.Classifications(noise, trials.labels, trials.shown, response_id=group), signal, time


def with_presence(trials: rs.Classifications) -> tuple[rs.Classifications, np.ndarray]:
    """Add presence as a pixel that is no neighbour of the others, and hardly penalised."""
    bright = 6.0 * trials.stimuli.std() * trials.shown
    images = np.column_stack([trials.stimuli, bright])
    regions = np.repeat([0, 1], [trials.shape[1], 1])
    return rs.Classifications(
        images, trials.labels, trials.shown, response_id=trials.response_id
    ), regions


def with_signal(trials: rs.Classifications, signal: np.ndarray, amplitude: float):
    """Add the signal to the noise where it was shown."""
    images = trials.stimuli + amplitude * trials.shown[:, None] * signal
    return rs.Classifications(images, trials.labels, trials.shown, response_id=trials.response_id)


def alike(template: np.ndarray, signal: np.ndarray) -> float:
    """Correlate a template with the signal."""
    return float(np.corrcoef(template[: len(signal)], signal)[0, 1])


def difference(model: rs.DecisionTemplates) -> np.ndarray:
    """Give the template of yes, minus that of no, of one template each."""
    return model.templates_[model.labels_][0] - model.templates_[~model.labels_][0]


def best_amplitude(trials: rs.Classifications, signal: np.ndarray, folds: int) -> float:
    """Find the amplitude at which one template per answer predicts held-out answers best."""

    def score(amplitude: float) -> float:
        model = rs.DecisionTemplates(2, cv=folds).fit(with_signal(trials, signal, amplitude))
        assert model.held_out_ is not None
        return float(model.held_out_[:, 0].mean())

    return max(AMPLITUDES, key=score)


def in_words(model: rs.DecisionTemplates) -> str:
    """Say how many templates there are, and how well each number does."""
    means = model.held_out_.mean(axis=0)
    numbers = ", ".join(f"{k}: {value:.4f}" for k, value in enumerate(means, 2))
    return (
        f"{model.n_templates_} templates, {model.labels_.sum()} of yes. Nats of a held-out answer "
        f"by number of templates: {numbers}. Strategy: {model.strategy_comparison()}."
    )


@dataclass(frozen=True)
class Models:
    """What is fitted to all trials: one template per answer, and as many as are needed."""

    folds: int
    presence: rs.Classifications  # presence as a further pixel
    within: rs.DecisionTemplates
    within_many: rs.DecisionTemplates
    amplitude: float
    shown: rs.DecisionTemplates
    shown_many: rs.DecisionTemplates

    @classmethod
    def of(cls, trials: rs.Classifications, signal: np.ndarray, folds: int) -> "Models":
        """Fit all of them."""
        presence, regions = with_presence(trials)
        amplitude = best_amplitude(trials, signal, folds)
        shown = with_signal(trials, signal, amplitude)
        one, many = {"n_templates": 2, "cv": folds}, {"max_templates": 8, "cv": folds}
        return cls(
            folds,
            presence,
            rs.DecisionTemplates(**one, regions=regions).fit(presence),
            rs.DecisionTemplates(**many, regions=regions).fit(presence),
            amplitude,
            rs.DecisionTemplates(**one).fit(shown),
            rs.DecisionTemplates(**many).fit(shown),
        )


def rows_of(
    trials: rs.Classifications,
    linear: rs.templates.ClassificationImage,
    found: Models,
    signal: np.ndarray,
) -> list[tuple[str, float]]:
    """Correlate everything with the signal, over all trials and of each kind apart."""
    rows = [
        ("classification image (weighted sums)", alike(linear.image, signal)),
        (
            "(a) one template per answer, noise within kind",
            alike(difference(found.within), signal),
        ),
        (
            f"(b) one template per answer, amplitude {found.amplitude:g}",
            alike(difference(found.shown), signal),
        ),
    ]
    for kind, some in (("present", trials.shown), ("absent", ~trials.shown)):
        image = rs.classification_image(trials[some]).image
        one = rs.DecisionTemplates(2, cv=found.folds).fit(trials[some])
        rows.append((f"classification image, signal {kind}", alike(image, signal)))
        rows.append((f"one template per answer, signal {kind}", alike(difference(one), signal)))
    return rows


def main(arguments: list[str] | None = None) -> None:
    """Compare templates with the classification image, and draw them."""
    parser = command_line((__doc__ or "").splitlines()[0])
    chosen = parser.parse_args(arguments)
    if chosen.data is None:
        print("no --data: the human trials are passed over")
        return
    out = results_folder(chosen)
    trials, signal, time = read(chosen.data)
    if chosen.quick:
        trials = trials[: 4 * PER_SESSION]
    linear = rs.classification_image(trials)
    found = Models.of(trials, signal, folds=4 if chosen.quick else 8)  # of whole sessions
    rows = rows_of(trials, linear, found, signal)
    table = pd.DataFrame(rows, columns=["what", "correlation with the signal"]).round(3)
    table.to_csv(out / "human.csv", index=False)
    text = ["| what | correlation with the signal |", "|---|---|"]
    text += [f"| {what} | {r:.3f} |" for what, r in table.itertuples(index=False)]
    text += ["", "(a) " + in_words(found.within_many), "", "(b) " + in_words(found.shown_many)]
    (out / "human.md").write_text("\n".join(text) + "\n", encoding="utf-8")
    print("\n".join(text))
    n = 20 if chosen.quick else 200
    maps = rs.template_uncertainty(found.within, found.presence, n_resamples=n, random_state=0)
    draw(time, signal, linear, found.within, maps).savefig(out / "human_linear.png", dpi=150)
    free = found.shown_many
    names = [
        f"{'yes' if yes else 'no'}, r = {alike(t, signal):.2f}"
        for t, yes in zip(free.templates_, free.labels_, strict=True)
    ]
    figure = rs.plot_templates(free, labels=names, title="Templates of answers to signal and noise")
    figure.savefig(out / "human_templates.png", dpi=150)


def draw(time, signal, linear, one, maps) -> Figure:
    """Draw the classification image and the template with its uncertainty over the signal."""
    figure = Figure(figsize=(9, 3.4), layout="constrained")
    left, right = figure.subplots(1, 2)
    n, yes = len(time), int(np.flatnonzero(one.labels_)[0])
    left.plot(time, linear.z, color=BLUE)
    left.set(title="classification image", ylabel="standard errors")
    right.plot(time, one.templates_[yes, :n], color=BLUE)
    band = maps.low[yes, :n], maps.high[yes, :n]
    right.fill_between(time, *band, color=BLUE, alpha=0.2, lw=0, label="95 % (bootstrap)")
    right.set(title="template of yes, noise within kind", ylabel="match per unit of noise")
    for ax in (left, right):
        size = 0.9 * max(-ax.get_ylim()[0], ax.get_ylim()[1])
        ax.plot(time, signal * size, "--", color="#888888", lw=1, label="signal (no scale)")
        ax.axhline(0, color="#cccccc", lw=0.8, zorder=0)
        ax.set_xlabel("seconds")
        ax.spines[["top", "right"]].set_visible(False)
        ax.legend(frameon=False, fontsize=8)
    return figure


if __name__ == "__main__":
    main()
