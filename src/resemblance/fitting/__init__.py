"""Fitting: judgments x choice model x form x solver, and what is chosen by held-out error."""

from resemblance.fitting.answers import answer_probabilities
from resemblance.fitting.backward import PerceptualGrid, Preimages
from resemblance.fitting.dimension import DimensionCurve, select_dimension
from resemblance.fitting.embedding import JudgmentsLike, OrdinalEmbedding
from resemblance.fitting.evaluation import Evaluation, evaluate
from resemblance.fitting.folds import GroupedKFold
from resemblance.fitting.held_out import HeldOut
from resemblance.fitting.item_folds import ItemKFold
from resemblance.fitting.map_uncertainty import MapUncertainty
from resemblance.fitting.noise import Noise, estimate_noise
from resemblance.fitting.posterior import NormalPosterior, SpacePosterior, space_posterior
from resemblance.fitting.scale import calibrate_scale
from resemblance.fitting.uncertainty import PositionUncertainty

__all__ = [
    "DimensionCurve",
    "Evaluation",
    "GroupedKFold",
    "HeldOut",
    "ItemKFold",
    "JudgmentsLike",
    "MapUncertainty",
    "Noise",
    "NormalPosterior",
    "OrdinalEmbedding",
    "PerceptualGrid",
    "PositionUncertainty",
    "Preimages",
    "SpacePosterior",
    "answer_probabilities",
    "estimate_noise",
    "calibrate_scale",
    "evaluate",
    "select_dimension",
    "space_posterior",
]
