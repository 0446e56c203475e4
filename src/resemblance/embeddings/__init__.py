"""Embeddings: items only, no features. Each is a choice model with a name and a paper."""

from resemblance.embeddings.ckl import CKL as CKL
from resemblance.embeddings.named import GNMDS as GNMDS, SOE as SOE, STE as STE, TSTE as TSTE
from resemblance.embeddings.nonmetric import NonmetricMDS as NonmetricMDS
from resemblance.embeddings.spose import SPoSE as SPoSE
