"""Geometry: Gram matrices, projections onto psd cones, and Procrustes alignment."""

from resemblance.geometry.gram import positions_from_gram, principal_axes
from resemblance.geometry.procrustes import procrustes_align
from resemblance.geometry.projections import project_correlation, project_psd

__all__ = [
    "positions_from_gram",
    "principal_axes",
    "procrustes_align",
    "project_correlation",
    "project_psd",
]
