"""Difference scaling: a perceptual scale of ordered stimuli, and how sure it is."""

from resemblance.scaling.bootstrap import (
    ScaleIntervals as ScaleIntervals,
    scale_intervals as scale_intervals,
)
from resemblance.scaling.fit_tests import (
    ScaleDiagnostics as ScaleDiagnostics,
    SixPointTest as SixPointTest,
    scale_diagnostics as scale_diagnostics,
    six_point_test as six_point_test,
)
from resemblance.scaling.mlds import MLDS as MLDS
