"""Forms: how distances come from parameters, and how gradients go back into them."""

from resemblance.forms.coordinates import Coordinates
from resemblance.forms.form import READS, Form
from resemblance.forms.gram import Gram
from resemblance.forms.maps import FeatureMap, KernelMap, LinearMap
from resemblance.forms.multikernel import MultiKernelMap
from resemblance.forms.shaped import ShapedMap

__all__ = [
    "READS",
    "Coordinates",
    "FeatureMap",
    "Form",
    "Gram",
    "KernelMap",
    "LinearMap",
    "MultiKernelMap",
    "ShapedMap",
]
