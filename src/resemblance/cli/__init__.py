"""The command line: `resemblance fit`, `score`, `convert` and `demo`."""

from resemblance.cli.app import app, main

__all__ = ["app", "main"]
