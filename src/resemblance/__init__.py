"""Learn how people see similarity: from comparisons to a space, a map and scores.

Import it as ``import resemblance as rs``. The file ``__init__.pyi`` lists every public name for
editors and for lazy loading: a package is imported when one of its names is first used.
"""

import lazy_loader

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
