"""Laplace approximation of the uncertainty of positions."""
