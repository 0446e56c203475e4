"""The base of everything that never changes after it is made."""

from typing import Any, Self

import numpy as np


class Frozen:
    """An object whose attributes are set once; its arrays are read-only, also after unpickling."""

    def _set(self, **values: Any) -> Self:
        for value in values.values():
            for array in value.values() if isinstance(value, dict) else (value,):
                if isinstance(array, np.ndarray):
                    array.flags.writeable = False
        self.__dict__.update(values)
        return self

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(
            f"{type(self).__name__} never changes: make a new one instead of setting {name!r}"
        )

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._set(**state)
