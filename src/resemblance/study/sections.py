"""Sections of ``study.toml``, and their base class."""

from collections.abc import Callable, Iterable
from datetime import date, datetime
from difflib import get_close_matches
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args
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
# A map is fitted again after this share of new answers.
GROWTH_OF_MAP = 0.02
FIRST_TEMPLATES = 200  # number of answers before templates are first fitted
# share of new answers after which a map of measured distances is fitted again
GROWTH_OF_MEASURED = 0.1
# share of new answers before another attempt, after several fits were killed
GROWTH_AFTER_KILLS = 0.05
QUIET_S = 10.0  # After this many seconds without answers, even a few new answers are fitted.
REST = 10.0  # pause after a slow report, as a multiple of the report's duration
SOURCE = Literal["open", "prolific", "mturk", "sona"]
Difference = Annotated[float, Field(gt=0.0, lt=1.0)]
RULE = "quality rule"  # name of rules as actors in the audit trail
MEASURE = Literal[
    "gold", "repeats", "fast", "side", "skipped", "answered", "likelihood", "by_program"
]
# number of answers before a rule on this measure applies; 20 for other measures
AFTER = {"gold": 5, "repeats": 5}


class Section(BaseModel):
    """A table of study.toml; unknown keys and values of wrong types are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


def one_of(names: Iterable[str], check: Callable[[str], Any]) -> Any:
    """Return a type of strings that allows ``names``; ``check`` raises an error for other texts."""

    def checked(name: str) -> str:
        check(name)
        return name

    return Annotated[
        str, AfterValidator(checked), WithJsonSchema({"type": "string", "enum": list(names)})
    ]


def setting(default: Any, about: str, usual: bool = False, **limits: Any) -> Any:
    """Return a setting with a default and a comment. New files show ``usual`` settings."""
    extra: Any = {"usual": True} if usual else None
    return Field(default=default, description=about, json_schema_extra=extra, **limits)


if TYPE_CHECKING:
    LicenseName = str
else:
    LicenseName = one_of(LICENSES, find_license)


class Publication(Section):
    """Description of the published data, for `export --to`."""

    authors: list[str] = setting([], 'Authors: "Young, Ann", or the name of a group.')
    license: LicenseName | None = setting(None, f"{', '.join(LICENSES)}.")
    doi: str | None = setting(
        None, "DOI of the data, such as 10.17605/OSF.IO/ABCDE.", pattern=r"^10\.[0-9]{4,9}/\S+$"
    )
    description: str = setting("", "What the study is about.")

    def refuse_unfinished(self) -> None:
        """Raise SettingError if authors or the licence are missing."""
        if lacking := [f"publication.{name}" for name in NEEDED if not getattr(self, name)]:
            raise SettingError(
                f"published data need {', '.join(lacking)}: add it to study.toml, under "
                "[publication]"
            )


class Words(Section):
    """Texts of a condition in a further language; a string gives only the question."""

    wording: str | None = setting(None, "The question.")
    own: dict[str, Any] = setting({}, "Words of the kind's own table, such as low and high.")

    @model_validator(mode="before")
    @classmethod
    def _question(cls, words: Any) -> Any:
        return {"wording": words} if isinstance(words, str) else words


class Translation(Section):
    """The study in a further language; its pages have names such as pages/consent.de.md."""

    title: str | None = setting(None, "The title.")
    wording: str | None = setting(None, "The question.")
    conditions: dict[str, Words] = setting(
        {}, "For each condition the question, or {wording = ..., own = {low = ...}}."
    )
    own: dict[str, Any] = setting({}, "Words of the kind's own table, such as low and high.")


def next_fit(answers: int, growth: float, least: int = 1) -> int:
    """Return the number of answers for the next fit: n + max(least, growth n) after n answers."""
    return answers + max(least, int(growth * answers))


def _known_zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):  # The name of a folder raises an OSError.
        near = get_close_matches(name, available_timezones(), n=3)
        which = f"did you mean {' or '.join(near)}?" if near else "give Europe/Berlin, or UTC"
        raise ValueError(f"{name!r} is not a time zone: {which}") from None
    return name


ZoneName = Annotated[str, AfterValidator(_known_zone)]


class Recruitment(Section):
    """Recruitment, entry and pay of participants."""

    source: SOURCE = setting("open", "open, prolific, mturk or sona.", usual=True)
    simulated: Literal["no", "enter", "count"] = setting(
        "no", "enter: simulated people may enter; count: fits and exports use their answers, too."
    )
    completion_code: str | None = setting(
        None, "Code shown at the end; default: another one for each person.", usual=True
    )
    signed: bool = setting(
        False, "Admit only people whose address Prolific signed (secure URL parameters)."
    )
    study_ids: list[str] = setting(
        [], "Prolific's ids of this study, besides those of `recruit`; none: any id is accepted."
    )
    redirect: str | None = setting(
        None, "Address opened at the end; {code} and {id} are filled in.", pattern=r"^https://"
    )
    max_participants: Some | None = setting(None, "Largest number of people.", usual=True)
    close: datetime | date | None = setting(None, "End of the study, such as 2031-05-01.")
    time_zone: ZoneName = setting(
        "UTC",
        "Time zone of close and of the desk, such as Europe/Berlin.",
    )
    exclude: str | None = setting(None, "CSV file with a column id of people who may not enter.")
    withdraw: bool = setting(
        True, "Whether people can withdraw on the page, and have their answers deleted."
    )
    pay: float = setting(0.0, "Pay of a participant.", ge=0.0)
    currency: str = setting(CURRENCY, "Currency of the pay.", pattern=r"^[A-Z]{3}$")
    minutes: float | None = setting(
        None, "Minutes that a person takes; default: estimated from the questions.", gt=0.0
    )
    min_tasks: Count = setting(48, "Earlier tasks that a person must have done.")
    min_approval: float = setting(95.0, "Least percentage of them approved.", ge=0.0, le=100.0)
    description: str = setting("", "The service's text about the study.")

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
                f"signed is true, but source is {self.source}, and only Prolific signs entries: "
                "set source to prolific, or signed to false"
            )
        return self


class Stopping(Section):
    """Rules that pause the study; each rule pauses it only once."""

    answers: Some | None = setting(None, "Pause when the map is fitted to this many answers.")
    error: Difference | None = setting(
        None, "Pause when the upper end of the error's 95 % interval falls below this."
    )
    gain: Difference | None = setting(
        None, "Pause when 25 % more answers would lower the error by less than this."
    )

    @property
    def rules(self) -> dict[str, Any]:
        return self.model_dump(mode="json", exclude_none=True)


class Search(Section):
    """The public page on which visitors find an item of the map by clicking."""

    public: bool = setting(False, "Whether the page is served.")
    keep_clicks: bool = setting(False, "Keep the clicks of visitors who agree, in clicks.jsonl.")


class Pages(Section):
    """Markdown files in the study's folder; a block ```form defines fields to fill in."""

    consent: str | None = setting("pages/consent.md", "First page: consent.", usual=True)
    instructions: str | None = setting("pages/instructions.md", "Before practice.", usual=True)
    questionnaire: list[str] = setting([], "Pages after the last task.", usual=True)
    debrief: str | None = setting("pages/debrief.md", "At the end.", usual=True)
    strings: str | None = setting(None, "JSON file with texts of buttons and messages.")


class Privacy(Section):
    """Personal data that are stored besides answers."""

    forget_ids_after_days: Some | None = setting(
        None, "Erase a person's ids and browser data this many days after the last visit."
    )


class Rule(Section):
    """An action on people for whom a measure is below or above a limit."""

    measure: MEASURE = Field(description=f"{', '.join(get_args(MEASURE))}.")
    below: Level | None = setting(None, "Acts when the measure is below this.")
    above: Level | None = setting(None, "Acts when the measure is above this.")
    after: Some | None = setting(
        None,
        "Answers needed before the rule acts; for gold only gold answers, for repeats only repeats "
        "count. Default: 5 for these two, else 20.",
    )
    action: Literal["flag", "hold", "stop", "exclude"] = setting(
        "flag", "What to do. hold: keep the completion code back until you have checked."
    )

    @model_validator(mode="after")
    def _one_level(self) -> "Rule":
        if (self.below is None) == (self.above is None):
            raise ValueError("a rule needs one level: give below or above")
        if self.measure == "by_program" and self.action != "flag":
            raise ValueError('by_program is no proof: give action = "flag", and check yourself')
        if self.measure == "likelihood" and self.action != "flag":
            raise ValueError(
                "likelihood is also low for attentive people with uncommon judgments: give "
                'action = "flag", and check yourself'
            )
        return self

    @property
    def needed(self) -> int:
        return AFTER.get(self.measure, 20) if self.after is None else self.after


HELD = Rule(measure="answered", below=0.5, action="hold")  # the only default rule


class Quality(Section):
    """Attention checks, and what happens to people who fail them."""

    fast_ms: Count = setting(300, "Answers quicker than this count as fast.")
    gold_from_agreement: Share = setting(
        0.0, "Questions on which this share of people agrees become gold; 0: none."
    )
    hand: bool = setting(
        False,
        "Record a few figures on how each answer is entered (mouse, script); people are told.",
    )
    rules: list[Rule] = setting([HELD], "Rules, [[quality.rules]].")

    @model_validator(mode="after")
    def _has_what_rules_measure(self) -> "Quality":
        if 0.0 < self.gold_from_agreement <= 0.5:
            raise ValueError("gold_from_agreement needs a majority: give 0.9, or 0 for none")
        if not self.hand and any(rule.measure == "by_program" for rule in self.rules):
            raise ValueError("a rule of by_program needs hand = true: set it; people are told")
        return self

    @property
    def least_answered(self) -> float:
        """Smallest share of questions to answer for the completion code; 0 without such a rule."""
        shares = [
            rule.below or 0.0
            for rule in self.rules
            if rule.measure == "answered" and rule.action == "hold"
        ]
        return max(shares, default=0.0)

    def judged_by(self, asked: int) -> list[Rule]:
        """Return the rules; rules on the share of answers need at most ``asked`` answers."""
        return [
            rule.model_copy(update={"after": max(1, asked)})
            if rule.measure == "answered" and rule.after is None and asked < rule.needed
            else rule
            for rule in self.rules
        ]
