"""Uncertainty of a fit: of its positions, its scale and the whole space."""
