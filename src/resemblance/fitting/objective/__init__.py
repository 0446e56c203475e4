"""The objective function of a fit, its starts, and its minimisation."""
