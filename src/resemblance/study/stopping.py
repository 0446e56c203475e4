"""Stopping rules, by which a study pauses itself: ``[stopping]``."""

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

    @property
    def rules(self) -> dict[str, Any]:
        return self.model_dump(mode="json", exclude_none=True)
