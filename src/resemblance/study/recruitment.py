"""Eligibility and pay of participants: ``[recruitment]``."""

from datetime import date, datetime
from difflib import get_close_matches
from typing import Annotated, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from pydantic import AfterValidator, model_validator

from resemblance.catalog import CURRENCY
from resemblance.study.sections import Count, Section, Some, setting

SOURCE = Literal["open", "prolific", "mturk", "sona"]


def _known_zone(name: str) -> str:
    """Refuse an unknown time zone; the error lists similar names."""
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):  # OSError: the name of a folder
        near = get_close_matches(name, available_timezones(), n=3)
        which = f"did you mean {' or '.join(near)}?" if near else "as Europe/Berlin, or UTC"
        raise ValueError(f"{name!r} is no time zone: {which}") from None
    return name


ZoneName = Annotated[str, AfterValidator(_known_zone)]


class Recruitment(Section):
    """Who may take part."""

    source: SOURCE = setting("open", "open, prolific, mturk or sona.", usual=True)
    simulated: Literal["no", "enter", "count"] = setting(
        "no", "Whether simulated people may enter, and their answers count in fits and exports."
    )
    completion_code: str | None = setting(
        None, "Shown at the end; without one, each person gets an own code.", usual=True
    )
    signed: bool = setting(
        False, "Whether only entries count that Prolific signed (its secure URL parameters)."
    )
    study_ids: list[str] = setting(
        [], "Prolific's ids of this study, besides those that `recruit` made; none: not compared."
    )
    redirect: str | None = setting(
        None, "Address opened at the end; {code} and {id} are filled in.", pattern=r"^https://"
    )
    max_participants: Some | None = setting(None, "Quota: people in all.", usual=True)
    max_per_day: Some | None = setting(None, "People who may enter on one day.")
    close: datetime | date | None = setting(None, "From then on nobody enters, such as 2031-05-01.")
    time_zone: ZoneName = setting(
        "UTC",
        "Where days begin and end, such as Europe/Berlin: of limits a day, close, and the desk.",
    )
    exclude: str | None = setting(None, "CSV file of ids, column id, that may not enter.")
    withdraw: bool = setting(
        True, "Whether the page lets people withdraw, and have their answers deleted."
    )
    pay: float = setting(0.0, "Pay of a participant.", ge=0.0)
    currency: str = setting(CURRENCY, "Currency of the pay.", pattern=r"^[A-Z]{3}$")
    minutes: float | None = setting(
        None, "How long a person takes; default: as long as so many questions do.", gt=0.0
    )
    min_tasks: Count = setting(48, "Earlier tasks that a person must have done.")
    min_approval: float = setting(95.0, "Per cent of them that were approved.", ge=0.0, le=100.0)
    description: str = setting("", "What the service tells people beforehand.")

    @property
    def admits_simulated(self) -> bool:
        """Whether simulated people may enter."""
        return self.simulated != "no"

    @property
    def counts_simulated(self) -> bool:
        """Whether the answers of simulated people count."""
        return self.simulated == "count"

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.time_zone)

    @model_validator(mode="after")
    def _signed_by_prolific(self) -> "Recruitment":
        if self.signed and self.source != "prolific":
            raise ValueError(
                f"signed is true, and source is {self.source}: only Prolific signs entries; set "
                "source to prolific, or signed to false"
            )
        return self
