"""Run the command line, as `resemblance` or as `python -m resemblance`."""

import sys

from resemblance.errors import UnavailableError


def main() -> None:
    """Run the command line; if packages are missing, print their names."""
    try:
        from resemblance.cli import app
    except UnavailableError as error:
        sys.exit(f"resemblance: {error}")
    app()


if __name__ == "__main__":
    main()
