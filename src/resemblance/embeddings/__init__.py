"""Embeddings: items only, no features. Each is a choice model with a name and a paper."""

from resemblance.embeddings.ckl import CKL as CKL
from resemblance.embeddings.dimensions import (
    LoadingIntervals as LoadingIntervals,
    Reproducibility as Reproducibility,
    loading_intervals as loading_intervals,
    reproducibility as reproducibility,
)
from resemblance.embeddings.mlds import MLDS as MLDS
from resemblance.embeddings.named import GNMDS as GNMDS, SOE as SOE, STE as STE, TSTE as TSTE
from resemblance.embeddings.nonmetric import NonmetricMDS as NonmetricMDS
from resemblance.embeddings.scale_tests import (
    ScaleDiagnostics as ScaleDiagnostics,
    SixPointTest as SixPointTest,
    scale_diagnostics as scale_diagnostics,
    six_point_test as six_point_test,
)
from resemblance.embeddings.scaling import (
    ScaleIntervals as ScaleIntervals,
    scale_intervals as scale_intervals,
)
from resemblance.embeddings.spose import SPoSE as SPoSE
