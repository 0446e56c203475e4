"""Fit positions of items to judgments, and choose settings by held-out error."""

from resemblance.fitting.answers import answer_probabilities as answer_probabilities
from resemblance.fitting.averaging import (
    AveragedUncertainty as AveragedUncertainty,
    Explanation as Explanation,
    averaged_uncertainty as averaged_uncertainty,
    calibrate_scale as calibrate_scale,
    estimate_noise as estimate_noise,
)
from resemblance.fitting.dimension import (
    DimensionCurve as DimensionCurve,
    select_dimension as select_dimension,
)
from resemblance.fitting.embedding import OrdinalEmbedding as OrdinalEmbedding
from resemblance.fitting.folds import GroupedKFold as GroupedKFold, ItemKFold as ItemKFold
from resemblance.fitting.groups import (
    GroupComparison as GroupComparison,
    compare_groups as compare_groups,
)
from resemblance.fitting.held_out import HeldOut as HeldOut
from resemblance.fitting.individuals import IndividualSpaces as IndividualSpaces
from resemblance.fitting.laplace import (
    Noise as Noise,
    PositionUncertainty as PositionUncertainty,
)
from resemblance.fitting.maps import PerceptualGrid as PerceptualGrid, Preimages as Preimages
from resemblance.fitting.multiple_maps import MultipleMaps as MultipleMaps
from resemblance.fitting.objective.thresholds import (
    RatingScale as RatingScale,
    Thresholds as Thresholds,
)
from resemblance.fitting.uncertainty import (
    MapUncertainty as MapUncertainty,
    NormalPosterior as NormalPosterior,
    SpacePosterior as SpacePosterior,
    space_posterior as space_posterior,
)
from resemblance.judgments.convert import JudgmentsLike as JudgmentsLike
