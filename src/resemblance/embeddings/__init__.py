"""Embeddings of items without features, each from a paper."""

from resemblance.embeddings.named import (
    CKL as CKL,
    GNMDS as GNMDS,
    SOE as SOE,
    STE as STE,
    TSTE as TSTE,
)
from resemblance.embeddings.nonmetric import NonmetricMDS as NonmetricMDS
from resemblance.embeddings.spose import (
    LoadingSpread as LoadingSpread,
    Reproducibility as Reproducibility,
    SPoSE as SPoSE,
    loading_spread as loading_spread,
    reproducibility as reproducibility,
)
