"""Differences between people: weights of dimensions, and comparison of groups."""
