"""Fitting: judgments x choice model x form x solver, and what is chosen by held-out error."""

from resemblance.fitting.answers import answer_probabilities as answer_probabilities
from resemblance.fitting.certainty.averaging import (
    AveragedUncertainty as AveragedUncertainty,
    Explanation as Explanation,
    averaged_uncertainty as averaged_uncertainty,
    calibrate_scale as calibrate_scale,
    estimate_noise as estimate_noise,
)
from resemblance.fitting.certainty.map_uncertainty import MapUncertainty as MapUncertainty
from resemblance.fitting.certainty.posterior import (
    NormalPosterior as NormalPosterior,
    SpacePosterior as SpacePosterior,
    space_posterior as space_posterior,
)
from resemblance.fitting.choosing.dimension import (
    DimensionCurve as DimensionCurve,
    select_dimension as select_dimension,
)
from resemblance.fitting.choosing.folds import GroupedKFold as GroupedKFold, ItemKFold as ItemKFold
from resemblance.fitting.choosing.held_out import HeldOut as HeldOut
from resemblance.fitting.embedding import OrdinalEmbedding as OrdinalEmbedding
from resemblance.fitting.laplace import (
    Noise as Noise,
    PositionUncertainty as PositionUncertainty,
)
from resemblance.fitting.objective.thresholds import (
    RatingScale as RatingScale,
    Thresholds as Thresholds,
)
from resemblance.fitting.people.groups import (
    GroupComparison as GroupComparison,
    compare_groups as compare_groups,
)
from resemblance.fitting.people.individuals import IndividualSpaces as IndividualSpaces
from resemblance.fitting.preimages import PerceptualGrid as PerceptualGrid, Preimages as Preimages
from resemblance.judgments.convert import JudgmentsLike as JudgmentsLike
