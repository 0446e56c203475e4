"""
Which network sees as people do?
================================

One network, trained for different ends: the ten digits, odd or even, labels that were shuffled, or
nothing yet; and the pixels that they all begin with. The people here are simulated: they follow the
hidden layer of the one that knows the ten digits. 120 answers to random questions often cannot tell
which; as many, half of them to questions about which the models disagree, do.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from PIL import Image
from sklearn.datasets import load_digits
from sklearn.neural_network import MLPClassifier

import resemblance as rs

rng = np.random.default_rng(0)
digits = load_digits()
order = rng.permutation(1797)
shown, learned = order[:60], order[60:]  # no network learns from the 60 that people see
pixels = digits.data / 16


def hidden(labels, rate=0.001, epochs=20):
    """Train a network on the other digits; give what its hidden layer makes of the 60."""
    network = MLPClassifier(64, learning_rate_init=rate, random_state=0)
    for _ in range(epochs):
        network.partial_fit(pixels[learned], labels[learned], classes=np.unique(labels))
    return np.maximum(pixels[shown] @ network.coefs_[0] + network.intercepts_[0], 0)


tables = {
    "pixels": pixels[shown],
    "untrained": hidden(digits.target, rate=1e-12, epochs=1),
    "ten digits": hidden(digits.target),
    "odd or even": hidden(digits.target % 2),
    "shuffled labels": hidden(rng.permutation(digits.target)),
}
models = {name: rs.ModelObserver(table, "cosine", random_state=0) for name, table in tables.items()}
settings = {"temperature": 0.1, "lapse": 0.05, "random_state": 1}
people = rs.ModelObserver(tables["ten digits"], "cosine", **settings)


def answered(strategy, n=120):
    """Let people answer n questions; the session learns the models' noise as it goes."""
    session = rs.Session(60, strategy, start_per_head=1, random_state=2)
    for _ in range(n):
        question = session.ask()
        session.tell(question, question.answered_by(people))
    return session.judgments("all")


random = rs.model_recovery(models, answered(rs.RandomQuestions()), n_simulations=80)
chosen = answered(rs.ControversialQuestions(models))
found = rs.model_recovery(models, chosen, n_simulations=80)


def draw(recovery, title):
    """Draw which model is found (columns) from simulated answers of each (rows)."""
    _, ax = plt.subplots(layout="constrained")
    ax.imshow(recovery.confusion, cmap="Blues", vmin=0, vmax=1)
    ax.set_xticks(range(len(models)), recovery.names, rotation=30, ha="right")
    ax.set_yticks(range(len(models)), recovery.names)
    ax.set(xlabel="the model that is found", ylabel="answers of")
    ax.set_title(f"{title}\n{recovery.sentence}")
    return ax


ax = draw(random, "120 random questions")
ax2 = draw(found, "120, half of them controversial")

# %%
# Along which dimensions?
# -----------------------
#
# Sparse dimensions of odd ones out, with what each digit has of them. Only those that halves of the
# answers find again deserve a name.

folder = Path(tempfile.mkdtemp())
paths = [folder / f"{i}.png" for i in range(60)]
for path, picture in zip(paths, digits.images[shown], strict=True):
    grey = Image.fromarray((255 - 15.9 * picture).astype(np.uint8))
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

centred = tables["ten digits"] - tables["ten digits"].mean(axis=0)
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
