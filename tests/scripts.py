"""Import scripts of a folder temporarily, since folders have scripts of the same name."""

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

ROOT = Path(__file__).parents[1]


@contextmanager
def scripts(folder: str, *names: str) -> Iterator[SimpleNamespace]:
    """Import scripts of a folder (all by default); remove their modules afterwards."""
    path = ROOT / folder
    own = {script.stem for script in path.glob("*.py")}
    before = {name: sys.modules.pop(name) for name in own & set(sys.modules)}
    places = sys.path.copy()  # programs of papers add the folder of what they share
    sys.path.insert(0, str(path))
    try:
        wanted = names or sorted(own)
        yield SimpleNamespace(**{name: importlib.import_module(name) for name in wanted})
    finally:
        sys.path[:] = places
        for name in own:
            sys.modules.pop(name, None)
        sys.modules.update(before)
