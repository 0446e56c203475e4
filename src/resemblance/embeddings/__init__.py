"""Embeddings: items only, no features. Each is a choice model with a name and a paper."""

from resemblance.embeddings.ckl import CKL
from resemblance.embeddings.gnmds import GNMDS
from resemblance.embeddings.nonmetric import NonmetricMDS
from resemblance.embeddings.soe import SOE
from resemblance.embeddings.ste import STE
from resemblance.embeddings.tste import TSTE

__all__ = ["CKL", "GNMDS", "NonmetricMDS", "SOE", "STE", "TSTE"]
