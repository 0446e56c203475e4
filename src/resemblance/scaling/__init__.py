"""Difference scaling: a perceptual scale of ordered stimuli, with its uncertainty."""

from resemblance.scaling.bootstrap import (
    ScaleIntervals as ScaleIntervals,
    scale_intervals as scale_intervals,
)
from resemblance.scaling.mlds import MLDS as MLDS
