"""What the sections of ``study.toml`` are made of."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Share = Annotated[float, Field(ge=0.0, le=1.0)]
Level = Annotated[float, Field(allow_inf_nan=False)]
Count = Annotated[int, Field(ge=0)]
Some = Annotated[int, Field(ge=1)]


class Section(BaseModel):
    """A table of the file: its keys are known, and of the right type."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)
