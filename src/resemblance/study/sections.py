"""The base of the sections of ``study.toml``."""

from collections.abc import Callable, Iterable
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, WithJsonSchema

Share = Annotated[float, Field(ge=0.0, le=1.0)]
Level = Annotated[float, Field(allow_inf_nan=False)]
Count = Annotated[int, Field(ge=0)]
Some = Annotated[int, Field(ge=1)]


class Section(BaseModel):
    """A table of the file: its keys are known, and of the right type."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


def one_of(names: Iterable[str], check: Callable[[str], Any]) -> Any:
    """Return the type of a name in a table; another name is refused with the list of the table."""

    def checked(name: str) -> str:
        check(name)
        return name

    return Annotated[
        str, AfterValidator(checked), WithJsonSchema({"type": "string", "enum": list(names)})
    ]


def setting(default: Any, about: str, usual: bool = False, **limits: Any) -> Any:
    """Make a key of a section: its default, what is said of it, whether a new file shows it."""
    extra: Any = {"usual": True} if usual else None
    return Field(default=default, description=about, json_schema_extra=extra, **limits)
