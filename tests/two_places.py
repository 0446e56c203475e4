"""People for whom some items have two places."""

import numpy as np

import resemblance as rs


class TwoPlaces(rs.observers.Observer):
    """Half of the similarity of an item is that at each of its places."""

    def __init__(self, first, second, random_state=None):
        super().__init__(random_state)
        gaps = [
            ((a[:, None] - b) ** 2).sum(axis=2) for a in (first, second) for b in (first, second)
        ]
        self.similarity = np.exp(-np.array(gaps)).sum(axis=0)

    def probabilities(self, questions):
        head, *options = questions.index.T
        s = np.column_stack([self.similarity[head, option] for option in options])
        return s / s.sum(axis=1, keepdims=True)


def answers(seed, n_items=24, n_two=2, per_item=150):
    """Return answers about items in three groups, and the items that belong to two groups."""
    rng = np.random.default_rng(seed)
    centres = np.array([[0.0, 1.6], [1.5, -0.8], [-1.5, -0.8]])
    group = np.arange(n_items) % 3
    first = centres[group] + 0.5 * rng.normal(size=(n_items, 2))
    second, two = first.copy(), rng.choice(n_items, n_two, replace=False)
    second[two] = centres[(group[two] + 1) % 3] + 0.5 * rng.normal(size=(n_two, 2))
    rows = np.array([rng.choice(n_items, 3, replace=False) for _ in range(per_item * n_items)])
    person = TwoPlaces(first, second, random_state=int(rng.integers(2**31)))
    return person.answer(rs.Triplets(rows, n_items)), set(two.tolist())
