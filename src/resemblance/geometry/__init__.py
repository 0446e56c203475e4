"""Geometry: Gram matrices, kernels of features, projections onto psd cones, and Procrustes."""

from resemblance.geometry.gram import (
    landmark_positions,
    positions_from_gram,
    principal_axes,
    principal_rotation,
)
from resemblance.geometry.kernels import center_kernel, kernel_matrix, normalize_kernel
from resemblance.geometry.mixtures import probability_product
from resemblance.geometry.procrustes import procrustes_align
from resemblance.geometry.projections import project_correlation, project_psd

__all__ = [
    "center_kernel",
    "kernel_matrix",
    "landmark_positions",
    "normalize_kernel",
    "positions_from_gram",
    "principal_axes",
    "principal_rotation",
    "probability_product",
    "procrustes_align",
    "project_correlation",
    "project_psd",
]
