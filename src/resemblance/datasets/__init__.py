"""Public data sets of human judgments, and triplets sampled from features."""

from resemblance.datasets.dataset import Dataset
from resemblance.datasets.digits import digits_triplets, fetch_mnist_5k
from resemblance.datasets.eggs import fetch_alien_eggs
from resemblance.datasets.music import fetch_music_artists
from resemblance.datasets.photographs import fetch_faces, fetch_things
from resemblance.datasets.sampling import sample_triplets

__all__ = [
    "Dataset",
    "digits_triplets",
    "fetch_alien_eggs",
    "fetch_faces",
    "fetch_mnist_5k",
    "fetch_music_artists",
    "fetch_things",
    "sample_triplets",
]
