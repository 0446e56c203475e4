"""Sections of ``study.toml``, and their base."""

from collections.abc import Callable, Iterable
from datetime import date, datetime
from difflib import get_close_matches
from typing import Annotated, Any, Literal, get_args
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, WithJsonSchema, model_validator

from resemblance.catalog import CURRENCY
from resemblance.errors import SettingError
from resemblance.licenses import LICENSES, find_license

Share = Annotated[float, Field(ge=0.0, le=1.0)]
Level = Annotated[float, Field(allow_inf_nan=False)]
Count = Annotated[int, Field(ge=0)]
Some = Annotated[int, Field(ge=1)]
NEEDED = ("authors", "license")
GROWTH_OF_MAP = 0.02  # the share of new answers below which a fit would change nothing
GROWTH_OF_MEASURED = 0.1  # growth of a map of measured distances, which chooses no questions
GROWTH_AFTER_KILLS = 0.05  # growth after several fits were killed
QUIET_S = 10.0  # after this many quiet seconds, even a few new answers are fitted
REST = 10.0  # costly reports take at most a tenth of the time
SOURCE = Literal["open", "prolific", "mturk", "sona"]
Difference = Annotated[float, Field(gt=0.0, lt=1.0)]
RULE = "quality rule"  # actor of rules in the audit trail
MEASURE = Literal[
    "gold", "repeats", "fast", "side", "skipped", "answered", "likelihood", "by_program"
]
# Answers before a rule judges, where there are few of a kind
AFTER = {"gold": 5, "repeats": 5}


class Section(BaseModel):
    """A table of the file: its keys are known, and of the right type."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


def one_of(names: Iterable[str], check: Callable[[str], Any]) -> Any:
    """Return a type for the names of a table; other names are refused with a list of the table."""

    def checked(name: str) -> str:
        check(name)
        return name

    return Annotated[
        str, AfterValidator(checked), WithJsonSchema({"type": "string", "enum": list(names)})
    ]


def setting(default: Any, about: str, usual: bool = False, **limits: Any) -> Any:
    """Make a setting: its default, its comment, and whether a new file shows it."""
    extra: Any = {"usual": True} if usual else None
    return Field(default=default, description=about, json_schema_extra=extra, **limits)


def _known_license(spdx: str) -> str:
    find_license(spdx)
    return spdx


LicenseName = Annotated[
    str, AfterValidator(_known_license), WithJsonSchema({"type": "string", "enum": list(LICENSES)})
]


class Publication(Section):
    """Description of the study where its data are published, for `export --to`."""

    authors: list[str] = setting([], 'Who made it: "Young, Ann", or the name of a group.')
    license: LicenseName | None = setting(None, f"{', '.join(LICENSES)}.")
    doi: str | None = setting(
        None, "Its DOI, such as 10.17605/OSF.IO/ABCDE.", pattern=r"^10\.[0-9]{4,9}/\S+$"
    )
    description: str = setting("", "What the study is about.")

    def refuse_unfinished(self) -> None:
        """Refuse to publish without authors or licence; the error names every missing one."""
        if lacking := [f"publication.{name}" for name in NEEDED if not getattr(self, name)]:
            raise SettingError(
                f"what is published needs {', '.join(lacking)}: give it in study.toml, under "
                "[publication]"
            )


class Words(Section):
    """What a condition says in a further language; a text alone is its question."""

    wording: str | None = setting(None, "The question.")
    own: dict[str, Any] = setting({}, "Words of the kind's own table, such as low and high.")

    @model_validator(mode="before")
    @classmethod
    def _question(cls, words: Any) -> Any:
        return {"wording": words} if isinstance(words, str) else words


class Translation(Section):
    """The study in a further language; its pages are files such as pages/consent.de.md."""

    title: str | None = setting(None, "The title.")
    wording: str | None = setting(None, "The question.")
    conditions: dict[str, Words] = setting(
        {}, "Of each condition the question, or {wording = ..., own = {low = ...}}."
    )
    own: dict[str, Any] = setting({}, "Words of the kind's own table, such as low and high.")


def next_fit(answers: int, growth: float, least: int = 1) -> int:
    """Return the number of answers at the next fit, n + max(least, growth n)."""
    return answers + max(least, int(growth * answers))


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
    close: datetime | date | None = setting(None, "From then on nobody enters, such as 2031-05-01.")
    time_zone: ZoneName = setting(
        "UTC",
        "Where days begin and end, such as Europe/Berlin: of close, and at the desk.",
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
        return self.simulated != "no"

    @property
    def counts_simulated(self) -> bool:
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


class Stopping(Section):
    """Pause the study as soon as one of these is reached; each pauses it once."""

    answers: Some | None = setting(None, "Pause when the map is fitted to this many answers.")
    error: Difference | None = setting(
        None, "Pause when the upper end of the error's 95 % interval falls below this."
    )
    gain: Difference | None = setting(
        None, "Pause when a quarter more answers would lower the error by less than this."
    )

    @property
    def rules(self) -> dict[str, Any]:
        return self.model_dump(mode="json", exclude_none=True)


class Rule(Section):
    """What is done about a person whose measure lies below or above a level."""

    measure: MEASURE = Field(description=f"{', '.join(get_args(MEASURE))}.")
    below: Level | None = setting(None, "Acts when the measure is below this.")
    above: Level | None = setting(None, "Acts when the measure is above this.")
    after: Some | None = setting(
        None,
        "So many of the answers that it measures are needed before it is judged: gold answers of a "
        "gold rule, repeats of repeats. Default: 5 of those two, else 20.",
    )
    action: Literal["flag", "hold", "stop", "exclude"] = setting(
        "flag", "What to do. hold: no completion code, until you have looked."
    )

    @model_validator(mode="after")
    def _one_level(self) -> "Rule":
        if (self.below is None) == (self.above is None):
            raise ValueError("a rule needs one level: give below or above")
        if self.measure == "by_program" and self.action != "flag":
            raise ValueError('by_program is no proof: give action = "flag", and look yourself')
        if self.measure == "likelihood" and self.action != "flag":
            raise ValueError(
                "likelihood is low of people who see otherwise than others, too: give "
                'action = "flag", and look yourself'
            )
        return self

    @property
    def needed(self) -> int:
        return AFTER.get(self.measure, 20) if self.after is None else self.after


HELD = Rule(measure="answered", below=0.5, action="hold")  # the rule of studies that name none


class Quality(Section):
    """Attention checks, and what happens to people who fail them."""

    fast_ms: Count = setting(300, "Answers quicker than this count as fast.")
    gold_from_agreement: Share = setting(
        0.0, "Questions on which this share agrees become gold; 0: none."
    )
    hand: bool = setting(
        False, "Whether it is kept, in a few numbers, how answers are entered; people are told."
    )
    rules: list[Rule] = setting([HELD], "What to do about whom.")

    @model_validator(mode="after")
    def _has_what_rules_measure(self) -> "Quality":
        if 0.0 < self.gold_from_agreement <= 0.5:
            raise ValueError("gold_from_agreement needs a majority: give 0.9, or 0 for none")
        if not self.hand and any(rule.measure == "by_program" for rule in self.rules):
            raise ValueError("a rule of by_program needs hand = true, which people are told of")
        return self

    @property
    def least_answered(self) -> float:
        """The share of questions to be answered for the completion code; 0 where there is none."""
        shares = [
            rule.below or 0.0
            for rule in self.rules
            if rule.measure == "answered" and rule.action == "hold"
        ]
        return max(shares, default=0.0)

    def judged_by(self, asked: int) -> list[Rule]:
        """Return the rules, with fewer answers needed where people are asked fewer questions."""
        return [
            rule.model_copy(update={"after": max(1, asked)})
            if rule.measure == "answered" and rule.after is None and asked < rule.needed
            else rule
            for rule in self.rules
        ]
