"""The worker process: it fits, chooses the next questions, and watches answer quality."""

from resemblance.study.worker.loop import run

__all__ = ["run"]
