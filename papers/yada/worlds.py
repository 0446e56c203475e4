"""Define the stimuli of section 4.1, their perception, and counts of confusions.

The six synthetic worlds are those of the paper. People's counts for lines, blobs and screws are not
public, so people are simulated. They see the logarithm of a length or diameter (Weber's law), the
middle of the blobs in more detail than the ends, and angles near the horizontal and the vertical in
more detail than oblique ones. Errors follow psi_e, which fits the paper's people better than psi_G.
Distances are scaled such that the true space has the log-likelihood of Yada in table 3.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.special import entr

import resemblance as rs

Map = Callable[[np.ndarray], np.ndarray]
Choices = Mapping[str, rs.choice.Decay]

GAUSSIAN, EXPONENTIAL = rs.choice.Gaussian(), rs.choice.Exponential()
CHOICES: Choices = {"gaussian": GAUSSIAN, "exponential": EXPONENTIAL}
PER_CELL = 150  # approximate number of the 598 people who judged each pair of Morse signals


@dataclass(frozen=True)
class World:
    """Stimuli, and where their counts come from.

    Attributes
    ----------
    name : str
        As in the tables.
    n_components : int
        The dimensions of the subjective space.
    draw : callable
        Gives the counts for a seed; those of people are always the same.
    points : array (n, n_components) or None
        Where the stimuli are in truth, if anybody knows.
    choices : mapping
        The choice models to fit with.
    """

    name: str
    n_components: int
    draw: Callable[[int], rs.Confusions]
    points: np.ndarray | None = None
    choices: Choices = field(default_factory=CHOICES.copy)


def errors_at(points: np.ndarray, pairs: np.ndarray, choice: rs.choice.Decay) -> np.ndarray:
    """Give the probability of an error on each pair, psi of its distance."""
    d = distances(points, pairs)
    return choice.error_probability(d**2 if choice.reads == "squared" else d)


def distances(points: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Give the distance of each pair."""
    return np.linalg.norm(points[pairs[:, 0]] - points[pairs[:, 1]], axis=1)


def simulated(
    name: str, features: np.ndarray, points: np.ndarray, pairs: np.ndarray,
    trials: int, choice: rs.choice.Decay,
) -> World:  # fmt: skip
    """Make a world where a_ij ~ Binomial(n_ij, psi(d_ij))."""
    items, p = rs.Items(features=features), errors_at(points, pairs, choice)

    def draw(seed: int) -> rs.Confusions:
        errors = np.random.default_rng(seed).binomial(trials, p)
        return rs.Confusions(pairs, errors, trials, items)

    return World(name, points.shape[1], draw, points)


def unit(features: np.ndarray) -> np.ndarray:
    """Scale each feature to -1 to 1."""
    low, high = features.min(axis=0), features.max(axis=0)
    return 2.0 * (features - low) / (high - low) - 1.0


# --- 4.1.1: synthetic


def rbf_1d(x: np.ndarray) -> np.ndarray:
    """Equation 32."""
    return (
        2 * np.exp(-((x + 0.6) ** 2))
        - 3 * np.exp(-((x + 0.2) ** 2))
        + 2 * np.exp(-((x - 0.8) ** 2))
    )


def rbf_2d(x: np.ndarray) -> np.ndarray:
    """Equations 35 and 36."""
    return 6 * np.exp(-np.stack([((x + 1) ** 2).sum(axis=1), ((x - 1) ** 2).sum(axis=1)], axis=1))


def tanh_2d(x: np.ndarray) -> np.ndarray:
    """Equations 37 and 38."""
    u, v = x.T
    return np.stack([2 * np.tanh(u + 2 * v + 0.1), 4 * np.tanh(2.5 * u - v + 0.8)], axis=1)


def poly_2d(x: np.ndarray) -> np.ndarray:
    """Equations 39 and 40."""
    u, v = x.T
    one = 0.1 * (-0.3 * u + 0.5 * v + 1.5) ** 4 - 0.08 * (0.5 * u - 0.3 * v + 1.5) ** 4
    two = 0.08 * (-0.6 * u + 0.3 * v + 1.5) ** 4 - 0.1 * (0.3 * u + 0.5 * v + 1.5) ** 4
    return np.stack([one, two], axis=1)


ON_A_LINE: dict[str, Map] = {
    "1D-RBF": rbf_1d,
    "1D-cos": lambda x: 0.6 * np.cos(5 * np.pi * x) + 0.5 * x,  # 33
    "1D-exp": lambda x: np.exp(2 * (x + 1)) / 3,  # 34
}
ON_A_GRID: dict[str, Map] = {"2D-RBF": rbf_2d, "2D-tanh": tanh_2d, "2D-poly": poly_2d}


def synthetic() -> list[World]:
    """Give the six worlds: 11 points on a line, all pairs; 36 on a grid, pairs up to 0.8 apart."""
    line = np.linspace(-1.0, 1.0, 11)[:, None]
    grid = np.array([(u, v) for u in np.linspace(-1, 1, 6) for v in np.linspace(-1, 1, 6)])
    all_pairs, pairs = (np.column_stack(np.triu_indices(n, 1)) for n in (11, 36))
    near = pairs[distances(grid, pairs) <= 0.8 + 1e-9]
    return [
        *(simulated(n, line, f(line), all_pairs, 50, GAUSSIAN) for n, f in ON_A_LINE.items()),
        *(simulated(n, grid, f(grid), near, 50, GAUSSIAN) for n, f in ON_A_GRID.items()),
    ]


# --- 4.1.2: lines, blobs and screws, seen by simulated people


def seen_screws(features: np.ndarray) -> np.ndarray:
    """Give log diameter, and an angle that turns fastest at 0 and 90 degrees."""
    diameter, angle = features.T
    turn = 4 * np.deg2rad(angle)
    return unit(np.stack([np.log(diameter), turn + 0.5 * np.sin(turn)], axis=1))


def people(
    name: str, stimuli: rs.stimuli.StimulusSet, seen: Map, trials: int, likelihood: float
) -> World:
    """Simulate people for whom the truth has this log-likelihood per trial."""
    points, pairs = seen(stimuli.features), stimuli.pairs

    def excess(scale: float) -> float:
        p = errors_at(scale * points, pairs, EXPONENTIAL)
        return float(np.mean(entr(p) + entr(1.0 - p))) + likelihood

    points = brentq(excess, 1e-3, 1e3) * points
    return simulated(name, unit(stimuli.features), points, pairs, trials, EXPONENTIAL)


def human() -> list[World]:
    """Give the paper's stimuli and pairs, with simulated counts."""
    return [
        people("Lines", rs.stimuli.Lines(), np.log, 76, -0.53),
        people("Blobs", rs.stimuli.Blobs(), np.tanh, 54, -0.42),
        people("Screws", rs.stimuli.Screws(), seen_screws, 68, -0.57),
    ]


# --- real confusions


def faces(data: Path, observer: str) -> World:
    """Give an observer's identifications of nine faces, by width of nose and distance of eyes.

    The array holds answers by nose, by eyes, of the faces 1 4 7 2 5 8 3 6 9: nose varies fastest.
    """
    answers = np.load(data / "face_confusions_grt" / f"thomas15{observer}_derived.npy")
    nose, eyes = np.arange(9) % 3 - 1.0, np.arange(9) // 3 - 1.0
    names = [f"nose {n:+.0f}, eyes {e:+.0f}" for n, e in zip(nose, eyes, strict=True)]
    items = rs.Items(names, np.stack([nose, eyes], axis=1))
    counts = rs.Confusions.from_matrix(answers.reshape(9, 9, order="F").T, items=items)
    return World(f"Faces {observer}", 2, lambda _: counts)


def signal_features(code: str) -> list[float]:
    """Give length, share of dashes (both -1 to 1), and what is at each place: 1/2, -1/2 or 0.

    A dash counts 1 and a dot -1.
    """
    marks = [1.0 if mark == "-" else -1.0 for mark in code]
    places = [mark / 2 for mark in marks] + [0.0] * (5 - len(code))
    return [(len(code) - 3) / 2, float(np.mean(marks)), *places]


def morse(data: Path) -> World:
    """Give how often people called two Morse signals the same, in both orders together.

    There are per cents of about 150 people for each couple. The same signal twice is called the
    same less than always: its mean rate is the ceiling of the choice models.
    """
    folder = data / "morse_rothkopf"
    rates = pd.read_csv(folder / "fechner_morse_derived.csv")
    codes = pd.read_csv(folder / "smacof_morse2_derived.csv", nrows=0).columns[1:]  # same order
    items = rs.Items(list(rates), [signal_features(code) for code in codes])
    off = ~np.eye(len(rates), dtype=bool)
    same = np.rint(rates.to_numpy() / 100 * PER_CELL).astype(int) * off
    counts = rs.Confusions.from_matrix(same, PER_CELL * off, items, mirrored=False)
    ceiling = float(np.diag(rates).mean() / 100)
    choices = {
        "gaussian": rs.choice.Gaussian(ceiling),
        "exponential": rs.choice.Exponential(ceiling),
    }
    return World("Morse", 2, lambda _: counts, choices=choices)


def real(data: Path | None) -> list[World]:
    """Give the worlds of real confusions, if a folder holds their data."""
    return [] if data is None else [faces(data, "a"), faces(data, "b"), morse(data)]


def all_worlds(data: Path | None) -> list[World]:
    """Give every world."""
    return [*synthetic(), *human(), *real(data)]
