"""Ask simulated observers until their strategy is known, with noise at random or chosen.

After each 25 % more trials the templates are fitted again, as `staircase.until_decided` does; the
observer stops when two fits in a row give one verdict. Chosen noise: as long as the last fit finds
exemplars likelier, three of four images are the ones of 30 about which the fitted strategies
disagree most (mutual information of the strategy and the answer).
"""

import warnings
from typing import Any

import numpy as np
from settings import LAPSE, NOISE, command_line, fill, results_folder
from simulated import KINDS

import resemblance as rs

KEY = ("observer", "noise", "images", "seed")
NOISES, IMAGES = (NOISE, 2 * NOISE), ("random", "chosen")
TASK = rs.stimuli.FourSquares(4)
RIGHT = 0.79  # share of right answers at the contrast of an observer
FIRST, GROWTH, LONGEST = 100, 1.25, 15  # trials before the first fit, their growth, and fits
CANDIDATES, AT_RANDOM = 30, 0.25


def contrast_of(person: rs.TemplateObserver, rng: np.random.Generator) -> float:
    """Find the contrast at which a person is right as often as on a staircase."""
    low, high = 0.01, 3.0
    for _ in range(12):
        middle, places = (low * high) ** 0.5, rng.integers(4, size=4000)
        images = TASK.draw(places, middle, random_state=int(rng.integers(2**30)))
        right = person.classes[person.pick(images)] == TASK.labels[places]
        low, high = (middle, high) if right.mean() < RIGHT else (low, middle)
    return middle


def entropy(p: np.ndarray) -> np.ndarray:
    """Compute the entropy of an answer with probabilities p and 1 - p."""
    p = np.clip(p, 1e-12, 1 - 1e-12)
    return -p * np.log(p) - (1 - p) * np.log(1 - p)


def disagreed(models: list[rs.DecisionTemplates], images: np.ndarray) -> np.ndarray:
    """Take the image whose answer tells most about which of two models is right."""
    first, second = (model.predict_proba(images)[:, 0] for model in models)
    known = (entropy(first) + entropy(second)) / 2
    best = int(np.argmax(entropy((first + second) / 2) - known))
    return images[best]


def cell(kind: str, noise: float, images: str, seed: int) -> list[dict[str, Any]]:
    """Ask one observer until two fits in a row agree."""
    warnings.simplefilter("ignore", rs.errors.ResemblanceWarning)
    rng = np.random.default_rng([seed, 5])
    person = rs.TemplateObserver(
        TASK.signals, TASK.labels, kind, noise=noise, lapse=LAPSE, random_state=seed
    )
    contrast = contrast_of(person, rng)
    seen, answers, models, verdicts = [], [], [], []
    for fit in range(LONGEST):
        while len(seen) < int(FIRST * GROWTH**fit):
            chosen = bool(models) and rng.random() > AT_RANDOM
            places = np.full(CANDIDATES if chosen else 1, rng.integers(4))
            drawn = TASK.draw(places, contrast, random_state=int(rng.integers(2**30)))
            seen.append(disagreed(models, drawn) if chosen else drawn[0])
            answers.append(person.classes[person.pick(seen[-1][None])[0]])
        trials = rs.Classifications(np.array(seen), answers)
        model = rs.DecisionTemplates(random_state=0).fit(trials)
        compared = model.strategy_comparison(random_state=0)
        verdicts.append(compared.verdict)
        if fit and "undecided" != verdicts[-1] == verdicts[-2]:
            break
        settings = {"smoothness": model.smoothness_, "penalty": model.penalty_}
        models = [
            rs.DecisionTemplates(number, random_state=0, **settings).fit(trials)
            for number in KINDS.values()
            if images == "chosen" and compared.difference > 0
        ]
    single = next((k for k, verdict in enumerate(verdicts) if verdict != "undecided"), fit)
    row = dict(zip(KEY, (kind, noise, images, seed), strict=True))
    row |= {"first_trials": int(FIRST * GROWTH**single), "first_verdict": verdicts[single]}
    return [row | {"trials": len(seen), "verdict": verdicts[-1]}]


def main(arguments: list[str] | None = None) -> None:
    """Fill the table, and count."""
    parser = command_line(__doc__ or "")
    parser.add_argument("--seeds", type=int, default=30)
    chosen = parser.parse_args(arguments)
    out, seeds = results_folder(chosen), 1 if chosen.quick else chosen.seeds
    noises = NOISES[:1] if chosen.quick else NOISES
    tasks = [
        (kind, noise, images, seed)
        for seed in range(seeds)
        for kind in KINDS
        for noise in noises
        for images in IMAGES
    ]
    found = fill(out / "sequential.csv", KEY, tasks, cell, chosen.jobs)
    lines = [
        "| observer | internal noise | images | runs | one fit: trials | wrong | two fits: trials "
        "| wrong |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for (kind, noise, images), rows in found.groupby(["observer", "noise", "images"]):
        counts = [kind, noise, images, len(rows)]
        for trials, verdict in (("first_trials", "first_verdict"), ("trials", "verdict")):
            wrong = ~rows[verdict].isin([kind, "undecided"])
            counts += [round(rows[trials].mean()), int(wrong.sum())]
        lines.append(f"| {' | '.join(map(str, counts))} |")
    (out / "sequential.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
