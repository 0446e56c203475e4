"""What the sections of ``study.toml`` are made of."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

Share = Annotated[float, Field(ge=0.0, le=1.0)]
Level = Annotated[float, Field(allow_inf_nan=False)]
Count = Annotated[int, Field(ge=0)]
Some = Annotated[int, Field(ge=1)]


class Section(BaseModel):
    """A table of the file: its keys are known, and of the right type."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


def setting(default: Any, about: str, **limits: Any) -> Any:
    """Make a key of a section: what holds without it, and what a new file says of it."""
    return Field(default=default, description=about, **limits)
