"""Stopping rules, by which a study pauses itself: ``[stopping]``."""

from datetime import date
from typing import Annotated, Any

from pydantic import Field

from resemblance.study.sections import Section, Some, setting

Difference = Annotated[float, Field(gt=0.0, lt=1.0)]


class Stopping(Section):
    """When the study pauses itself: as soon as one of these is reached; each acts once."""

    answers: Some | None = setting(None, "At so many answers in the map.")
    error: Difference | None = setting(
        None, "Where the error on random questions is below: the upper end of its interval of 95 %."
    )
    gain: Difference | None = setting(
        None,
        "Where a quarter more answers lower the error by less: the upper end of the forecast.",
    )
    paid: float | None = setting(None, "Where people who finished cost so much.", gt=0.0)
    until: date | None = setting(None, "From this day on, such as 2031-05-01.")

    @property
    def fitted_rules(self) -> list[str]:
        return [name for name in ("answers", "error", "gain") if getattr(self, name) is not None]

    @property
    def rules(self) -> dict[str, Any]:
        return self.model_dump(mode="json", exclude_none=True)
