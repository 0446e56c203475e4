"""Graphs of comparisons: contradictions, acyclic subgraphs, implied comparisons."""

from resemblance.graphs.graph import (
    CleaningReport as CleaningReport,
    SimilarityGraph as SimilarityGraph,
    clean as clean,
)
