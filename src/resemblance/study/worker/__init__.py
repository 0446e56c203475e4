"""The worker process, which fits maps, chooses questions and applies quality rules."""

from resemblance.study.worker.loop import run

__all__ = ["run"]
