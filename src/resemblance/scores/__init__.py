"""Scores of embeddings: functions of arrays for agreement, likelihood, ceilings, intervals."""

from resemblance.scores.agreement import (
    error_from_distances as error_from_distances,
    triplet_error as triplet_error,
    triplet_losses as triplet_losses,
)
from resemblance.scores.ceiling import (
    NoiseCeiling as NoiseCeiling,
    n_questions as n_questions,
    noise_ceiling as noise_ceiling,
)
from resemblance.scores.directions import (
    FeatureDirections as FeatureDirections,
    feature_directions as feature_directions,
)
from resemblance.scores.intervals import (
    bootstrap_interval as bootstrap_interval,
    mean_interval as mean_interval,
    percentile_interval as percentile_interval,
    student_interval as student_interval,
    wilson_interval as wilson_interval,
)
from resemblance.scores.neighbours import (
    NearestItems as NearestItems,
    majority_error as majority_error,
    nearest_items as nearest_items,
    neighbour_error as neighbour_error,
)
from resemblance.scores.recovery import (
    column_correlations as column_correlations,
    match_dimensions as match_dimensions,
    procrustes_distance as procrustes_distance,
)
from resemblance.scores.weighted import (
    as_weights as as_weights,
    calibration_slope as calibration_slope,
    log_loss as log_loss,
    neg_log_loss as neg_log_loss,
    weighted_mean as weighted_mean,
)
from resemblance.scores.words import (
    WordDirections as WordDirections,
    word_directions as word_directions,
)
