"""Scale ordered stimuli by difference scaling, with its uncertainty."""

from resemblance.scaling.bootstrap import (
    ScaleIntervals as ScaleIntervals,
    scale_intervals as scale_intervals,
)
from resemblance.scaling.mlds import MLDS as MLDS
