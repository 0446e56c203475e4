"""Write files with comparisons of scikit-learn's digits by a simulated crowd."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from sklearn.datasets import load_digits
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from resemblance.cli.output import make_folder, write_csv
from resemblance.datasets import sample_triplets
from resemblance.files import whole
from resemblance.judgments import Items, Triplets, of_kind
from resemblance.observers import SpaceObserver
from resemblance.optional import pd

N_ITEMS = 300
N_PEOPLE = 40
QUESTIONS_EACH = 200
SHARED = 20  # number of questions that all people answer, for the noise ceiling
NEIGHBOURS = 30  # number of nearest neighbours of the head from which an option is drawn
LAPSE = 0.04
SIDE = 48  # side of a picture in pixels


def write_digits(folder: Path, seed: int) -> tuple[Path, Path]:
    pictures, digit = load_digits(return_X_y=True)
    items = Items(names_of_digits(), labels=digit[:N_ITEMS])
    make_folder(folder / "images")
    images = [write_picture(folder, *pair) for pair in zip(items.names, pictures, strict=False)]
    table = pd.DataFrame({"item": items.names, "label": items.labels, "image": images})
    write_csv(folder / "items.csv", table)
    with whole(folder / "triplets.csv") as part:
        crowd_answers(perceived(pictures, digit), items, seed).write(part)
    return folder / "triplets.csv", folder / "items.csv"


def names_of_digits() -> list[str]:
    return [f"digit{i:03d}" for i in range(N_ITEMS)]


def seen_digits() -> dict[str, NDArray[np.float64]]:
    return dict(zip(names_of_digits(), perceived(*load_digits(return_X_y=True)), strict=True))


def write_picture(folder: Path, name: str, pixels: NDArray[np.float64]) -> str:
    path = f"images/{name}.png"
    ink = np.uint8(255) - (pixels.reshape(8, 8) * (255 / 16)).astype(np.uint8)
    with whole(folder / path) as part:
        Image.fromarray(ink).resize((SIDE, SIDE), Image.Resampling.BICUBIC).save(part)
    return path


def perceived(pictures: NDArray[np.float64], digit: NDArray[np.int64]) -> NDArray[np.float64]:
    X = LinearDiscriminantAnalysis(n_components=4).fit_transform(pictures, digit)[:N_ITEMS]
    return np.asarray(1.5 * X / X.std())


def crowd_answers(points: NDArray[np.float64], items: Items, seed: int) -> Triplets:
    rng = np.random.default_rng(seed)
    own = N_PEOPLE * (QUESTIONS_EACH - SHARED)
    asked = sample_triplets(points, SHARED + own, NEIGHBOURS, random_state=rng).index
    shared, others = asked[:SHARED], asked[SHARED:].reshape(N_PEOPLE, -1, 3)
    questions = np.concatenate([np.concatenate([shared, each]) for each in others])
    people = np.repeat([f"person{i:02d}" for i in range(1, N_PEOPLE + 1)], QUESTIONS_EACH)
    crowd = SpaceObserver(points, lapse=LAPSE, random_state=int(rng.integers(2**31)))
    triplets = Triplets(questions, items, observer=people)
    return of_kind(crowd.answer(triplets), Triplets, "the demo")
