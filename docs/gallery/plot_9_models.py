"""
Which network sees as people do?
================================

Three descriptions of the same digits that are much alike, and people who follow one of them. 120
answers to random questions often cannot tell which; as many to questions about which the three
disagree do.
"""

import numpy as np
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
        place = people.pick([[question.head, *question.options]])[0]
        session.tell(question, question.options[place])
    return session.judgments("all")


random = rs.model_recovery(models, answered(rs.RandomQuestions()), n_simulations=80)
chosen = answered(rs.ControversialQuestions(models))
ax = rs.plot_recovery(random, title="120 random questions")
found = rs.model_recovery(models, chosen, n_simulations=80)
ax2 = rs.plot_recovery(found, title="120, half of them controversial")
