"""Simulate judgments of every kind in a plane, about items with features."""

import numpy as np

import resemblance as rs


def world(kind="triplets", m=2000, n=15, seed=0):
    """Draw judgments; the features of an item are linear mixtures of its coordinates."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    items = rs.Items([f"item{k}" for k in range(n)], features=X @ rng.normal(size=(2, 3)))
    shown = np.argsort(rng.random((m, n)), axis=1)[:, :4]
    D = ((X[:, None] - X) ** 2).sum(-1)
    if kind == "odd_one_outs":
        a, b, c = shown[:, :3].T
        odd = np.argmax(-np.stack([D[b, c], D[a, c], D[a, b]], 1) + rng.gumbel(size=(m, 3)), 1)
        return rs.OddOneOuts(shown[:, :3], shown[np.arange(m), odd], items)
    options = shown[:, 1:] if kind == "choices" else shown[:, 1:3]
    near = D[shown[:, :1], options]
    chosen = options[np.arange(m), np.argmax(-near + rng.gumbel(size=near.shape), axis=1)]
    if kind == "choices":
        return rs.Choices(shown[:, 0], options, chosen, items)
    far = options.sum(axis=1) - chosen
    if kind == "quadruplets":
        return rs.Quadruplets(np.column_stack([shown[:, 0], chosen, shown[:, 0], far]), items)
    weight = rng.integers(1, 3, m).astype(float)
    return rs.Triplets(np.column_stack([shown[:, 0], chosen, far]), items, weight=weight)
