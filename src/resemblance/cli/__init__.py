"""The command line: `resemblance fit`, `score`, `design` and other commands."""

from resemblance.optional import need_packages

need_packages("the command line needs", "typer", "rich")

from resemblance.cli.app import app

__all__ = ["app"]
