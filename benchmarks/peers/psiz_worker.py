"""Fits by PsiZ of exponential similarity, as its own examples compose it, for serve.py."""

import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import keras
import numpy as np
import psiz
from serve import serve

PATIENCE = 15  # epochs without gain on a tenth held out, as in its examples
constant = keras.initializers.Constant


class Rank(keras.Model):
    """The nearer of two references, by exponential similarity of Euclidean distances."""

    def __init__(self, n_items: int) -> None:
        super().__init__()
        spread = keras.initializers.RandomNormal(stddev=0.17)
        self.percept = keras.layers.Embedding(n_items, 2, embeddings_initializer=spread)
        self.proximity = psiz.keras.layers.Minkowski(
            rho_initializer=constant(2.0),
            w_initializer=constant(1.0),
            trainable=False,
        )
        self.similarity = psiz.keras.layers.ExponentialSimilarity(
            beta_initializer=constant(10.0),
            tau_initializer=constant(1.0),
            gamma_initializer=constant(0.0),
            trainable=False,
        )
        self.rank = psiz.keras.layers.SoftRank(n_select=1)

    def call(self, shown):  # type: ignore[no-untyped-def]
        points = self.percept(shown)
        head, others = points[:, :1], points[:, 1:]
        return self.rank(self.similarity(self.proximity([head, others])))


def fit(method: str, triplets: np.ndarray, n_items: int, seed: int) -> tuple[np.ndarray, int]:
    keras.utils.set_random_seed(seed)
    model = Rank(n_items)
    model.compile(keras.optimizers.Adam(0.001), keras.losses.CategoricalCrossentropy())
    answers = np.eye(2)[np.zeros(len(triplets), int)]
    stop = keras.callbacks.EarlyStopping("val_loss", patience=PATIENCE, restore_best_weights=True)
    order = np.random.default_rng(seed).permutation(len(triplets))
    told = model.fit(
        triplets[order],
        answers,
        batch_size=128,
        epochs=1000,
        validation_split=0.1,
        callbacks=[stop],
        verbose=0,
    )
    return model.percept.get_weights()[0], len(told.history["loss"])


serve(fit)
