"""The graph of comparisons: contradictions, a part without cycles, what follows from what."""

from resemblance.graphs.cleaning import CleaningReport, clean
from resemblance.graphs.graph import SimilarityGraph

__all__ = ["CleaningReport", "SimilarityGraph", "clean"]
