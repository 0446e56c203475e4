"""Forms: distances as functions of parameters, with gradients."""

from resemblance.forms.form import (
    READS as READS,
    Coordinates as Coordinates,
    Form as Form,
    Gram as Gram,
    Individual as Individual,
    InFolds as InFolds,
    Known as Known,
    NonNegative as NonNegative,
    Stretched as Stretched,
    Tabled as Tabled,
    Weights as Weights,
    quickest as quickest,
)
from resemblance.forms.maps import (
    FeatureMap as FeatureMap,
    KernelMap as KernelMap,
    LinearMap as LinearMap,
    ShapedMap as ShapedMap,
)
from resemblance.forms.multikernel import MultiKernelMap as MultiKernelMap
from resemblance.forms.multiple_maps import SeveralMaps as SeveralMaps
from resemblance.forms.prior import (
    FeaturePrior as FeaturePrior,
    ScaledMap as ScaledMap,
)
