"""The process beside the web: it chooses the next questions, and watches the quality of answers."""

from resemblance.study.worker.loop import run

__all__ = ["run"]
