"""In place of the four human subjects: one person who detects a flicker in noise.

Thomas & Knoblauch (2005), J. Opt. Soc. Am. A 22, 2257: 3,584 yes-no trials, the signal a Gabor in
time of two cycles, noise of 32 samples. What is stored is the noise alone, and whether the signal
was there. Templates are found (a) from the noise within trials of the same kind, where presence
is one more "pixel" of its own region, and (b) from noise and signal, the amplitude being that
which makes held-out answers most likely.
"""

from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from settings import command_line, results_folder

import resemblance as rs

FOLDER = "gabor_classification_image"
AMPLITUDES = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3)
PER_SESSION = 224


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
    return rs.Classifications(noise, trials.labels, trials.shown, group=group), signal, time


def with_presence(trials: rs.Classifications) -> tuple[rs.Classifications, np.ndarray]:
    """Add presence as a pixel that is no neighbour of the others, and hardly penalised."""
    bright = 6.0 * trials.stimuli.std() * trials.shown
    images = np.column_stack([trials.stimuli, bright])
    regions = np.repeat([0, 1], [trials.shape[1], 1])
    return rs.Classifications(images, trials.labels, trials.shown, group=trials.group), regions


def with_signal(trials: rs.Classifications, signal: np.ndarray, amplitude: float):
    """Add the signal to the noise where it was shown."""
    images = trials.stimuli + amplitude * trials.shown[:, None] * signal
    return rs.Classifications(images, trials.labels, trials.shown, group=trials.group)


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


def main(arguments: list[str] | None = None) -> None:
    """Compare templates with the classification image, and draw them."""
    parser = command_line((__doc__ or "").splitlines()[0])
    chosen = parser.parse_args(arguments)
    if chosen.data is None:
        print("no --data: the human trials are passed over")
        return
    out = results_folder(chosen)
    trials, signal, time = read(chosen.data)
    folds = 4 if chosen.quick else 8  # of whole sessions
    if chosen.quick:
        trials = trials[: 4 * PER_SESSION]
    linear = rs.classification_image(trials)
    images, regions = with_presence(trials)
    one = rs.DecisionTemplates(2, regions=regions, cv=folds).fit(images)
    many = rs.DecisionTemplates(regions=regions, max_templates=8, cv=folds).fit(images)
    amplitude = best_amplitude(trials, signal, folds)
    shown = with_signal(trials, signal, amplitude)
    full = rs.DecisionTemplates(2, cv=folds).fit(shown)
    free = rs.DecisionTemplates(max_templates=8, cv=folds).fit(shown)
    kinds = {"signal present": trials.shown, "signal absent": ~trials.shown}
    rows = [
        ("classification image (weighted sums)", alike(linear.image, signal)),
        ("(a) one template per answer, noise within kind", alike(difference(one), signal)),
        (f"(b) one template per answer, amplitude {amplitude:g}", alike(difference(full), signal)),
    ]
    for kind, some in kinds.items():
        rows.append(
            (
                f"classification image, {kind}",
                alike(rs.classification_image(trials[some]).image, signal),
            )
        )
        model = rs.DecisionTemplates(2, cv=folds).fit(trials[some])
        rows.append((f"one template per answer, {kind}", alike(difference(model), signal)))
    table = pd.DataFrame(rows, columns=["what", "correlation with the signal"]).round(3)
    table.to_csv(out / "human.csv", index=False)
    text = ["| what | correlation with the signal |", "|---|---|"]
    text += [f"| {what} | {r:.3f} |" for what, r in table.itertuples(index=False)]
    text += ["", "(a) " + in_words(many), "", "(b) " + in_words(free)]
    (out / "human.md").write_text("\n".join(text) + "\n", encoding="utf-8")
    print("\n".join(text))
    maps = rs.template_uncertainty(
        one, images, n_resamples=20 if chosen.quick else 200, random_state=0
    )
    draw(time, signal, linear, one, maps).savefig(out / "human_linear.png", dpi=150)
    names = [
        f"{'yes' if yes else 'no'}, r = {alike(t, signal):.2f}"
        for t, yes in zip(free.templates_, free.labels_, strict=True)
    ]
    rs.plot_templates(free, labels=names).savefig(out / "human_templates.png", dpi=150)


def draw(time, signal, linear, one, maps) -> Figure:
    """Draw the classification image and the template with its uncertainty over the signal."""
    figure = Figure(figsize=(9, 3.4), layout="constrained")
    left, right = figure.subplots(1, 2)
    n, yes = len(time), int(np.flatnonzero(one.labels_)[0])
    left.plot(time, linear.z, label="z of the classification image")
    right.plot(time, one.templates_[yes, :n], label="template of yes")
    right.fill_between(
        time, maps.low[yes, :n], maps.high[yes, :n], alpha=0.25, lw=0, label="95 % (bootstrap)"
    )
    for ax in (left, right):
        low, high = ax.get_ylim()
        ax.plot(
            time,
            signal * max(-low, high) * 0.9,
            "--",
            color="#888888",
            lw=1,
            label="signal (no scale)",
        )
        ax.axhline(0, color="#cccccc", lw=0.8)
        ax.set_xlabel("seconds")
        ax.legend(frameon=False, fontsize=8)
    return figure


if __name__ == "__main__":
    main()
