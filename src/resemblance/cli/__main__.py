"""Run the command line as `python -m resemblance.cli`."""

from resemblance.cli.app import main

main()
