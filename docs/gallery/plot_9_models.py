"""
Which network sees as people do?
================================

Three descriptions of the same digits that are much alike, as layers of a network are, and people
who follow one of them. 120 answers to random questions often cannot tell which; as many to
questions about which the three disagree do.
"""

import tempfile
from pathlib import Path

import numpy as np
from PIL import Image
from scipy.ndimage import uniform_filter
from sklearn.datasets import load_digits

import resemblance as rs

rng = np.random.default_rng(0)
pictures = load_digits().images[rng.permutation(1797)[:60]]
tables = {
    "sharp": pictures,
    "blurred": uniform_filter(pictures, size=(1, 3, 3)),
    "coarse": pictures.reshape(60, 4, 2, 4, 2).mean(axis=(2, 4)),
}
models = {
    name: rs.ModelObserver(table.reshape(60, -1), "cosine", random_state=0)
    for name, table in tables.items()
}
settings = {"temperature": 0.05, "lapse": 0.05, "random_state": 0}
people = rs.ModelObserver(tables["blurred"].reshape(60, -1), "cosine", **settings)


def answered(strategy, n=120):
    """Let people answer n questions; the session learns the models' noise as it goes."""
    session = rs.Session(60, strategy, start_per_head=1, random_state=1)
    for _ in range(n):
        question = session.ask()
        session.tell(question, question.answered_by(people))
    return session.judgments("all")


random = rs.model_recovery(models, answered(rs.RandomQuestions()), n_simulations=40)
chosen = answered(rs.ControversialQuestions(models))
ax = rs.plot_recovery(random, title="120 random questions")
found = rs.model_recovery(models, chosen, n_simulations=40)
ax2 = rs.plot_recovery(found, title="120, half of them controversial")

# %%
# Along which dimensions?
# -----------------------
#
# Sparse dimensions of odd ones out, with what each digit has of them. Only those that halves of the
# answers find again deserve a name.

folder = Path(tempfile.mkdtemp())
paths = [folder / f"{i}.png" for i in range(60)]
for path, pixels in zip(paths, pictures, strict=True):
    grey = Image.fromarray((255 - 15.9 * pixels).astype(np.uint8))
    grey.resize((64, 64), Image.Resampling.NEAREST).save(path)
items = rs.Items([f"digit {i}" for i in range(60)], images=paths)
asked = np.array([rng.choice(60, 3, replace=False) for _ in range(6000)])
answers = people.answer(rs.OddOneOuts(asked, asked[:, 0], items))
model = rs.SPoSE(12, random_state=0).fit(answers)
again = rs.reproducibility(model, answers, random_state=0)
ax3 = rs.plot_loadings(model, reproducibility=again, title="Dimensions of digits")

# %%
# Do all people see so?
# ---------------------
#
# Eight people weigh two principal axes alike, eight others the second one less. Groups are dealt
# anew to say whether they differ.

centred = (tables["blurred"] - tables["blurred"].mean(axis=0)).reshape(60, -1)
left, sizes, _ = np.linalg.svd(centred, full_matrices=False)
axes = left[:, :2] * sizes[:2] / (left[:, :2] * sizes[:2]).std()
groups = {f"{name} {k}": name for name in ("novice", "expert") for k in range(8)}
weights = {"novice": [1.0, 1.0], "expert": [1.5, 0.7]}
crowd = rs.Crowd(
    [
        rs.SpaceObserver(axes, weights=weights[name], random_state=seed)
        for seed, name in enumerate(groups.values())
    ],
    list(groups),
    random_state=0,
)
triplets = [rng.choice(60, 3, replace=False) for _ in range(4800)]
compared = rs.compare_groups(
    crowd.answer(rs.Triplets(triplets, 60)), groups, n_permutations=99, random_state=0
)
ax4 = rs.plot_groups(compared, title="Novices and experts")
