"""How good an embedding is, and how good it could be: plain functions of arrays."""

from resemblance.scores.agreement import error_from_distances, triplet_error, triplet_losses
from resemblance.scores.bootstrap import bootstrap_interval
from resemblance.scores.ceiling import NoiseCeiling, noise_ceiling
from resemblance.scores.likelihood import log_loss
from resemblance.scores.nearest import NearestItems, nearest_items
from resemblance.scores.neighbours import majority_error, neighbour_error
from resemblance.scores.recovery import procrustes_distance
from resemblance.scores.weighted import as_weights, weighted_mean
from resemblance.scores.wilson import wilson_interval

__all__ = [
    "NearestItems",
    "NoiseCeiling",
    "as_weights",
    "bootstrap_interval",
    "error_from_distances",
    "log_loss",
    "majority_error",
    "nearest_items",
    "neighbour_error",
    "noise_ceiling",
    "procrustes_distance",
    "triplet_error",
    "triplet_losses",
    "weighted_mean",
    "wilson_interval",
]
