"""Embeddings of items without features; each is a choice model with a name and a paper."""

from resemblance.embeddings.ckl import CKL as CKL
from resemblance.embeddings.dimensions import (
    LoadingSpread as LoadingSpread,
    Reproducibility as Reproducibility,
    loading_spread as loading_spread,
    reproducibility as reproducibility,
)
from resemblance.embeddings.named import GNMDS as GNMDS, SOE as SOE, STE as STE, TSTE as TSTE
from resemblance.embeddings.nonmetric import NonmetricMDS as NonmetricMDS
from resemblance.embeddings.spose import SPoSE as SPoSE
