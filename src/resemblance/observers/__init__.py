"""Observers: simulated people who answer questions."""

from resemblance.observers.space import SpaceObserver

__all__ = ["SpaceObserver"]
