"""The settings of a study: what ``study.toml`` may say."""

from datetime import UTC, date, datetime
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationInfo,
    field_validator,
    model_validator,
)

KIND = Literal["triplet", "one_of_n", "odd_one_out", "match_to_sample", "classify"]
SOURCE = Literal["open", "prolific", "mturk", "sona"]
MODEL = Literal["tste", "ste", "ckl", "gnmds", "soe"]
STRATEGY = Literal["predictive", "information", "uncertain", "random"]
MEASURE = Literal["gold", "repeats", "fast", "side", "skipped", "likelihood"]
RIGHT_KINDS = ("match_to_sample", "classify")  # whose every question has a right answer
SESSION_KINDS = ("triplet", "one_of_n")  # whose questions a session may choose
MOST_ODD = 6  # items of which the odd one implies as many comparisons as a worker may keep
MARGINS = ("gnmds", "soe")  # models without a likelihood, by which no question can be chosen

Share = Annotated[float, Field(ge=0.0, le=1.0)]
Level = Annotated[float, Field(allow_inf_nan=False)]
Count = Annotated[int, Field(ge=0)]
Some = Annotated[int, Field(ge=1)]
WORDINGS = {
    "triplet": "Which of the two is more similar to the one on top?",
    "one_of_n": "Which of these is most similar to the one on top?",
    "odd_one_out": "Which one is the odd one out?",
    "match_to_sample": "Which of the two did you just see?",
    "classify": "Which of the two is it?",
}


class Section(BaseModel):
    """A table of the file: its keys are known, and of the right type."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Study(Section):
    """What is asked."""

    name: str = Field(
        pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$",
        description="In addresses: small letters, digits, - and _.",
    )
    title: str = Field(default="Which is most similar?", description="The title that people see.")
    language: str = Field(default="en", description="Language of the pages, such as en or de.")
    kind: KIND = Field(
        default="triplet",
        description="triplet, one_of_n, odd_one_out, match_to_sample or classify.",
    )
    wording: str | None = Field(
        default=None, description="The question, above every trial. A concrete one works best."
    )
    n_options: int | None = Field(
        default=None,
        ge=2,
        le=24,
        description="Options of a question; default: 2 (one_of_n 8, odd 3).",
    )
    seed: Count = Field(default=0, description="Seeds every random choice.")
    contact: str | None = Field(default=None, description="Whom to ask, shown with errors.")

    @model_validator(mode="after")
    def _options_of_kind(self) -> "Study":
        least, most = {"one_of_n": (2, 24), "odd_one_out": (3, 24)}.get(self.kind, (2, 2))
        if not least <= self.options <= most:
            raise ValueError(f"n_options is {self.options}, but {self.kind} has {least} to {most}")
        return self

    @property
    def options(self) -> int:
        """Count the options of a question."""
        return self.n_options or {"one_of_n": 8, "odd_one_out": 3}.get(self.kind, 2)

    @property
    def prompt(self) -> str:
        """Give the question that people read."""
        return self.wording or WORDINGS[self.kind]


class Stimuli(Section):
    """What is shown."""

    folder: str = Field(default="stimuli", description="Folder of pictures, sounds or films.")
    items: str | None = Field(
        default=None, description="CSV file with the columns name, file or text, alt, label."
    )


class Tasks(Section):
    """How much a person does."""

    per_participant: Some = Field(default=2, description="Tasks that a person may do.")
    task_size: Some = Field(default=50, description="Questions of a task.")
    gold_share: Share = Field(default=0.2, description="Share of questions whose answer is known.")
    gold: str | None = Field(
        default=None,
        description="CSV file: head, right, wrong (by |). Without: the head is among the options.",
    )
    repeat_share: Share = Field(default=0.0, description="Share of questions asked a second time.")
    practice: Count = Field(default=3, description="Questions before the first task; never fitted.")
    break_after: Count = Field(default=1, description="A break after so many tasks; 0 for none.")
    feedback: bool = Field(default=False, description="Whether people learn if they were right.")
    skip: bool = Field(default=True, description="Whether a question may be skipped.")

    @model_validator(mode="after")
    def _questions_left(self) -> "Tasks":
        if (known := self.gold_share + self.repeat_share) >= 1.0:
            raise ValueError(f"gold_share and repeat_share sum to {known:g}: leave some to ask")
        return self


class Shares(Section):
    """Each strategy's share of the questions."""

    predictive: Share = Field(default=0.0, description="What an answer tells about all positions.")
    information: Share = Field(default=0.0, description="What an answer tells about the head.")
    uncertain: Share = Field(default=0.0, description="Answers nearest to a toss-up.")
    random: Share = Field(default=0.0, description="Chosen at random.")

    @model_validator(mode="after")
    def _sum_to_one(self) -> "Shares":
        total = sum(self.model_dump().values())
        if abs(total - 1.0) > 1e-9:
            raise ValueError(f"the shares sum to {total:g}: they must sum to one")
        return self


class Asking(Section):
    """Which question comes next."""

    adaptive: bool = Field(default=True, description="Whether answers choose the next questions.")
    model: MODEL = Field(default="tste", description="tste, ste, ckl, gnmds or soe.")
    n_components: Some = Field(default=2, description="Dimensions of the space.")
    start_per_head: Some = Field(
        default=10, description="Random questions about each item at first."
    )
    per_new_item: Some = Field(
        default=12, description="Answers about each item added later before it joins the others."
    )
    refit_every: Count = Field(default=0, description="Answers between fits; 0: as many as items.")
    held_out: float = Field(default=0.05, ge=0.0, lt=1.0, description="Share that tests the fits.")
    shares: Shares = Field(default=Shares(predictive=1.0), description="Shares of the strategies.")


class Timing(Section):
    """The course of a match-to-sample trial, in milliseconds."""

    fixation_ms: Count = Field(default=500, description="Fixation cross before the sample.")
    sample_ms: Some = Field(default=200, description="Sample.")
    gap_ms: Count = Field(default=500, description="Blank, or mask, after the sample.")
    mask: bool = Field(default=False, description="A mask instead of a blank.")
    options_ms: Count = Field(default=0, description="Alternatives; 0: until the answer.")


class Staircase(Section):
    """How strong the signal of a noisy image is: n-down, m-up by factors."""

    labels: list[str] = Field(
        default=["first", "second"], min_length=2, max_length=2, description="The two answers."
    )
    start: float = Field(default=1.0, gt=0.0, le=1.0, description="First signal level.")
    least: float = Field(default=0.01, gt=0.0, le=1.0, description="Lowest signal level.")
    step: float = Field(default=1.25, gt=1.0, description="Factor of a step up or down.")
    down: Some = Field(default=3, description="Right answers in a row before a step down.")
    up: Some = Field(default=1, description="Wrong answers in a row before a step up.")
    noise: float = Field(
        default=0.2, ge=0.0, description="Standard deviation; black to white is 1."
    )
    pixels: int = Field(default=32, ge=4, le=256, description="Side of the image in pixels.")
    sound: bool = Field(default=True, description="A high tone for right, a low one for wrong.")


class Rule(Section):
    """What is done about a person whose measure lies below or above a level."""

    measure: MEASURE = Field(description="gold, repeats, fast, side, skipped or likelihood.")
    below: Level | None = Field(default=None, description="Acts when the measure is below this.")
    above: Level | None = Field(default=None, description="Acts when the measure is above this.")
    after: Some = Field(default=20, description="So many answers are needed before it is judged.")
    action: Literal["flag", "stop", "exclude"] = Field(default="flag", description="What to do.")

    @model_validator(mode="after")
    def _one_level(self) -> "Rule":
        if (self.below is None) == (self.above is None):
            raise ValueError("a rule needs one level: give below or above")
        return self


class Quality(Section):
    """Who looks, and who does not."""

    fast_ms: Count = Field(default=300, description="Answers quicker than this count as fast.")
    gold_from_agreement: Share = Field(
        default=0.0, description="Questions on which this share agrees become gold; 0: none."
    )
    gold_answers: Some = Field(default=8, description="So many answers before agreement is judged.")
    rules: list[Rule] = Field(default=[], description="What to do about whom.")

    @model_validator(mode="after")
    def _clear_agreement(self) -> "Quality":
        if 0.0 < self.gold_from_agreement <= 0.5:
            raise ValueError("gold_from_agreement needs a majority: give 0.9, or 0 for none")
        return self


class Recruitment(Section):
    """Who may take part."""

    source: SOURCE = Field(default="open", description="open, prolific, mturk or sona.")
    simulated: bool = Field(default=False, description="Whether simulated participants may enter.")
    completion_code: str | None = Field(
        default=None, description="Shown at the end; without one, each person gets an own code."
    )
    redirect: str | None = Field(
        default=None,
        pattern=r"^https://",
        description="Address opened at the end; {code} and {id} are filled in.",
    )
    max_participants: Some | None = Field(default=None, description="Quota: people in all.")
    max_per_day: Some | None = Field(default=None, description="People who may enter on one day.")
    hold_minutes: float = Field(
        default=120.0,
        ge=0.0,
        description="How long a place of a quota is held for who left; 0: for ever.",
    )
    tasks_per_day: Some | None = Field(default=None, description="Tasks of one person on one day.")
    close: datetime | date | None = Field(
        default=None, description="From then on (UTC) nobody enters, such as 2031-05-01."
    )
    exclude: str | None = Field(
        default=None, description="CSV file of ids, column id, that may not enter."
    )
    pay: float = Field(default=0.0, ge=0.0, description="Pay of a participant.")
    currency: str = Field(default="USD", pattern=r"^[A-Z]{3}$", description="Currency of the pay.")
    minutes: float = Field(default=10.0, gt=0.0, description="How long a person takes.")
    min_tasks: Count = Field(default=48, description="Earlier tasks that a person must have done.")
    min_approval: float = Field(
        default=95.0, ge=0.0, le=100.0, description="Per cent of them that were approved."
    )
    description: str = Field(default="", description="What the service tells people beforehand.")


class Search(Section):
    """The page on which anybody finds an item in the map, by pointing."""

    public: bool = Field(default=False, description="Whether there is such a page.")
    keep_clicks: bool = Field(
        default=False, description="Keep clicks, of visitors who agree, in clicks.jsonl."
    )
    title: str = Field(default="Search by similarity", description="What the page is called.")


class Pages(Section):
    """Texts, as Markdown files in the study's folder; a block ```form asks questions."""

    consent: str | None = Field(default="pages/consent.md", description="Before anything.")
    instructions: str | None = Field(default="pages/instructions.md", description="What to do.")
    questionnaire: list[str] = Field(default=[], description="Pages after the last task.")
    debrief: str | None = Field(default="pages/debrief.md", description="At the end.")
    strings: str | None = Field(
        default=None, description="JSON file with the words of the buttons."
    )


class Server(Section):
    """Where the study is served."""

    host: str = Field(default="127.0.0.1", description="Address to listen on.")
    port: int = Field(
        default=8000, ge=0, le=65535, description="Port to listen on; 0: any free one."
    )
    database: str | None = Field(
        default=None, description="sqlite:///file or postgresql://...; default: study.sqlite here."
    )
    address: str | None = Field(
        default=None, pattern=r"^https?://[^/]+$", description="Public address behind a TLS proxy."
    )
    proxies: list[str] = Field(
        default=["127.0.0.1"], description="Proxies whose word about visitors' addresses is taken."
    )


class Settings(Section):
    """All of ``study.toml``: a table for each section.

    Examples
    --------
    >>> settings = Settings(study=Study(name="ties"))
    >>> settings.tasks.task_size, settings.total
    (50, 103)
    """

    study: Study
    stimuli: Stimuli = Stimuli()
    tasks: Tasks = Tasks()
    asking: Asking = Asking()
    timing: Timing = Timing()
    staircase: Staircase = Staircase()
    quality: Quality = Quality()
    recruitment: Recruitment = Recruitment()
    search: Search = Search()
    pages: Pages = Pages()
    server: Server = Server()

    @field_validator("asking")
    @classmethod
    def _choosing_needs_likelihood(cls, asking: Asking, info: ValidationInfo) -> Asking:
        study = info.data.get("study")  # absent where it is wrong itself
        if study is None or asking.model not in MARGINS or study.kind not in SESSION_KINDS:
            return asking
        if study.options > 2:
            raise ValueError(
                f"{asking.model} is fitted to questions of two options only, and these have "
                f"{study.options}: fit tste, ste or ckl, or set study.n_options to 2"
            )
        if not asking.adaptive:
            return asking
        if chosen := [name for name, share in asking.shares if share > 0.0 and name != "random"]:
            raise ValueError(
                f"{asking.model} gives answers no probability, by which {' and '.join(chosen)} "
                "questions are chosen: set shares.random to 1 and the others to 0, or fit tste, "
                "ste or ckl"
            )
        return asking

    @field_validator("search")
    @classmethod
    def _searching_needs_a_map(cls, search: Search, info: ValidationInfo) -> Search:
        study, asking = info.data.get("study"), info.data.get("asking")
        if not search.public or study is None or asking is None:
            return search
        if not _fits(study):
            raise ValueError(
                f"with {study.kind} of {study.options} no map is fitted while the study runs, and "
                "public needs one: set it to false, and serve a map fitted afterwards by "
                "`resemblance search`"
            )
        if asking.model in MARGINS:
            raise ValueError(
                f"{asking.model} gives answers no probability, which public needs: set it to false,"
                " or fit tste, ste or ckl"
            )
        return search

    @property
    def total(self) -> int:
        """Count the questions that a person may be asked."""
        return self.tasks.practice + self.tasks.per_participant * self.tasks.task_size

    @property
    def adaptive(self) -> bool:
        """Whether a worker chooses questions."""
        return self.asking.adaptive and self.study.kind in SESSION_KINDS

    @property
    def fits(self) -> bool:
        """Whether a worker fits a space: where answers are comparisons, and imply not too many."""
        return _fits(self.study)

    def closes(self) -> float | None:
        """Give the time from which nobody enters, in seconds of UTC."""
        close = self.recruitment.close
        if close is None:
            return None
        day = datetime(close.year, close.month, close.day, tzinfo=UTC)
        moment = close if isinstance(close, datetime) else day
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()

    def plain(self) -> dict[str, Any]:
        """Give all settings as JSON has them."""
        return self.model_dump(mode="json")


def _fits(study: Study) -> bool:
    odd = study.kind == "odd_one_out" and study.options > MOST_ODD
    return study.kind not in RIGHT_KINDS and not odd
