"""Small versions of experiments of five papers, with simulated people."""

from collections.abc import Callable
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

import resemblance as rs
from resemblance.cli.output import make_folder, write_figure

Findings = list[tuple[str, str]]
N_QUESTIONS = 20  # number of questions per game, as in the paper


def yada(folder: Path, seed: int) -> Findings:
    """Learn how people see screws, and find screws that look evenly spaced."""
    screws = rs.stimuli.Screws()
    diameter, angle = screws.features.T
    seen = np.column_stack([6 * np.log(diameter / 50), np.sqrt(angle + 10)])
    gap = np.linalg.norm(np.diff(seen[screws.pairs], axis=1)[:, 0], axis=1)
    errors = np.random.default_rng(seed).binomial(60, np.exp(-(gap**2)) / 2)
    items = rs.Items(screws.names, features=screws.features)
    counts = rs.Confusions(screws.pairs, errors, trials=60, items=items)
    unit = screws.features.std(axis=0).mean()
    search = rs.YadaCV(rs.Yada(2), penalties=[1e-2, 1.0], bandwidths=unit * np.array([2.0, 4.0]))
    model = search.fit(counts).best_estimator_
    grid = model.perceptual_grid((4, 4))
    even = grid.features[grid.reachable]
    drawn = rs.stimuli.Screws(even).save(make_folder(folder / "even"))
    named = rs.Items([path.stem for path in drawn], images=drawn)
    title = "Screws that look evenly spaced"
    rs.save_map(grid.points[grid.reachable], folder / "map.html", named, title=title)
    gain = np.log(2) + search.best_score_
    return [
        ("Asked", f"{60 * len(counts):,} trials: which of two screws was shown?"),
        (
            "Learned",
            f"their space: held-out trials are {np.exp(gain):.2f} times likelier than chance",
        ),
        ("Found", f"{len(even)} of 16 screws at equal steps (even), {grid.spacing:.2f} apart"),
        ("Picture", str(folder / "map.html")),
        ("Guide", "docs/guide/design.md"),
    ]


def templates(folder: Path, seed: int) -> Findings:
    """Find the templates of two simulated people who classify images differently."""
    from resemblance.cli.templates import draw_people

    task = rs.stimuli.FourSquares(side=4)
    sessions = []
    strategies: tuple[Literal["exemplar", "prototype"], ...] = "exemplar", "prototype"
    for number, strategy in enumerate(strategies):
        person = rs.TemplateObserver(
            task.signals, task.labels, strategy, noise=0.5, lapse=0.02, random_state=seed + number
        )
        stairs = rs.Staircase(0.8, steps=[0.2, 0.1, 0.05])
        sessions.append(
            rs.observers.run_staircase(person, task, stairs, 1000, random_state=seed + number)
        )
    trials = rs.Classifications(
        np.concatenate([session.stimuli.reshape(-1, *session.image_shape) for session in sessions]),
        np.concatenate([session.labels for session in sessions]),
        observer=np.repeat(["looks for four squares", "looks for two halves"], 1000),
    )
    people = rs.templates.templates_by_observer(trials, random_state=seed)
    draw_people(folder, people)
    return [
        ("Asked", f"{len(trials):,} noisy images: is the square above or below?"),
        *((person.observer, str(person)) for person in people.people),
        ("Picture", str(folder / "people.png")),
        ("Guide", "docs/guide/templates.md"),
    ]


def multimodal(folder: Path, seed: int) -> Findings:
    """Remove contradictory answers, and find which features people use."""
    from sklearn.datasets import load_digits

    rng = np.random.default_rng(seed)
    pixels, digit = load_digits(return_X_y=True)
    chosen = rng.choice(len(pixels), 60, replace=False)
    pixels, digit = pixels[chosen], digit[chosen]
    views = {"pixels": pixels / 16, "noise": rng.normal(size=(60, 3))}
    ink = pixels.reshape(-1, 8, 8)
    views["ink"] = np.hstack([ink.sum(axis=1), ink.sum(axis=2)])
    head = np.arange(60).repeat(6)
    near, far = (_of_class(rng, digit, head, same) for same in (True, False))
    # the questions are asked of three people
    head, near, far = (np.tile(column, 3) for column in (head, near, far))
    is_wrong = rng.random(len(head)) < 0.1
    rows = np.column_stack([head, np.where(is_wrong, far, near), np.where(is_wrong, near, far)])
    answers = rs.Triplets(rows, items=rs.Items(features=views))
    cleaned, _ = rs.clean(answers, random_state=seed)
    kernels = {"pixels": "rbf", "noise": "rbf", "ink": "chi2"}
    model = rs.MKPOE(kernels=kernels, beta=100, diagonal=True).fit(cleaned)
    write_figure(folder / "kernels.png", rs.plot_kernel_weights(model)[0], dpi=150)
    shares = sorted(model.kernel_weights_.items(), key=lambda entry: -entry[1])
    return [
        (
            "Asked",
            f"{len(answers) // 3:,} comparisons of digits, by three people; a tenth is wrong",
        ),
        ("Cleaned", f"{len(answers) - len(cleaned):,} answers removed, so that no cycle is left"),
        ("Learned", ", ".join(f"{name} {share:.0%}" for name, share in shares)),
        ("Picture", str(folder / "kernels.png")),
        ("Guide", "docs/guide/multiple-kernels.md"),
    ]


def _of_class(
    rng: np.random.Generator, classes: NDArray[np.int64], heads: NDArray[np.int64], same: bool
) -> NDArray[np.int64]:
    others = np.arange(len(classes))
    return np.array(
        [rng.choice(others[((classes == classes[i]) == same) & (others != i)]) for i in heads]
    )


def crowd_kernel(folder: Path, seed: int) -> Findings:
    """Choose questions by information gain, and test the map in a game of twenty questions."""
    rng = np.random.default_rng(seed)
    space, names = rng.normal(size=(60, 2)), [f"tie {i}" for i in range(60)]
    person = rs.SpaceObserver(space, rs.choice.Relative(0.05), random_state=seed)
    ranks = {}
    for name, strategy in (("chosen", rs.InformationGain()), ("random", rs.RandomQuestions())):
        session = rs.Session(
            names, strategy, model=rs.CKL(2), start_per_head=5, refit_every=120, random_state=seed
        )
        for _ in range(900):
            question = session.ask()
            session.tell(question, question.answered_by(person))
        model = rs.CKL(2, random_state=seed).fit(session.judgments("all"))
        rank = rs.asking.twenty_questions(model, person, n_questions=N_QUESTIONS)
        ranks[name] = float(np.exp(rank.mean()))
        if name == "chosen":
            title = "A map from chosen questions"
            rs.save_map(model, folder / "map.html", names, title=title)
    return [
        ("Asked", "900 questions by information gain, and 900 at random"),
        (
            "Played",
            f"{N_QUESTIONS} questions about each tie; the mean rank of the right one among 60 is",
        ),
        (
            "",
            f"{ranks['chosen']:.1f} with chosen questions, {ranks['random']:.1f} with random ones",
        ),
        ("Picture", str(folder / "map.html")),
        ("Guide", "docs/guide/search-engine.md"),
    ]


def ste(folder: Path, seed: int) -> Findings:
    """Fit digits by five methods, and compare predictions and nearest neighbours."""
    from resemblance.datasets import digits_triplets

    answers = digits_triplets(6000, n_items=150, random_state=seed)
    digits = np.asarray(answers.items.labels)
    held_out, fitted = answers[:1000], answers[1000:]
    models = {
        "t-STE": rs.TSTE(2, penalty="auto"),
        "STE": rs.STE(2, penalty="auto"),
        "CKL": rs.CKL(2),
        "GNMDS": rs.GNMDS(2),
        "SOE": rs.SOE(2),
    }
    scores = []
    for name, model in models.items():
        model.set_params(random_state=seed).fit(fitted)
        wrong, apart = rs.triplet_error(model, held_out), rs.neighbour_error(model, digits)
        said = f"wrong in {wrong:.1%} of new answers; the nearest is another digit in {apart:.0%}"
        scores.append((name, said))
    rs.save_map(models["t-STE"], folder / "map.html", title="Digits by t-STE")
    return [
        ("Asked", f"{len(answers):,} comparisons of {len(answers.items)} digits"),
        *scores,
        ("Picture", str(folder / "map.html")),
        ("Guide", "docs/guide/models.md"),
    ]


DEMOS: dict[str, Callable[[Path, int], Findings]] = {
    "yada": yada,
    "templates": templates,
    "multimodal": multimodal,
    "crowd-kernel": crowd_kernel,
    "ste": ste,
}
