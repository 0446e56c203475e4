"""Embeddings: items only, no features. Each is a choice model with a name and a paper."""

from resemblance.embeddings.ckl import CKL as CKL
from resemblance.embeddings.gnmds import GNMDS as GNMDS
from resemblance.embeddings.nonmetric import NonmetricMDS as NonmetricMDS
from resemblance.embeddings.soe import SOE as SOE
from resemblance.embeddings.ste import STE as STE
from resemblance.embeddings.tste import TSTE as TSTE
