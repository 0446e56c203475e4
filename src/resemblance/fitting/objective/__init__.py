"""The objective of a fit, its starts, and its minimisation."""
