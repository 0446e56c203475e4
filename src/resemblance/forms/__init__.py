"""Forms: compute distances from parameters, and pass gradients back to them."""

from resemblance.forms.form import READS as READS, Form as Form
from resemblance.forms.individual import (
    Individual as Individual,
    InFolds as InFolds,
    Known as Known,
    Stretched as Stretched,
    Weights as Weights,
)
from resemblance.forms.maps import (
    FeatureMap as FeatureMap,
    KernelMap as KernelMap,
    LinearMap as LinearMap,
    ShapedMap as ShapedMap,
)
from resemblance.forms.multikernel import MultiKernelMap as MultiKernelMap
from resemblance.forms.positions import (
    Coordinates as Coordinates,
    Gram as Gram,
    NonNegative as NonNegative,
    Tabled as Tabled,
    quickest as quickest,
)
from resemblance.forms.prior import (
    FeaturePrior as FeaturePrior,
    ScaledMap as ScaledMap,
)
