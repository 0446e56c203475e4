"""What participants' browsers send and get: the protocol in models, for checks and the OpenAPI."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

MAX_WANT = 4
MAX_BATCH = 20
HOUR_MS = 3_600_000.0

Word = Annotated[str, Field(max_length=500)]
Number = Annotated[float, Field(ge=-1e15, le=1e15, allow_inf_nan=False)]


class Message(BaseModel):
    """A JSON object that holds what is named here, and nothing else."""

    model_config = ConfigDict(extra="forbid")


class Report(BaseModel):
    """What a browser tells of itself, kept as it is."""

    model_config = ConfigDict(extra="ignore")


class Screen(Report):
    """The window, in CSS pixels."""

    width: Number = 0
    height: Number = 0
    ratio: Number = 1


class BrowserReport(Report):
    """The browser at entry."""

    agent: Word = ""
    languages: list[Word] = Field(default=[], max_length=20)
    timezone: Word = ""
    screen: Screen = Screen()
    touch: bool = False
    reduced_motion: bool = False
    dark: bool = False
    page: Word = ""


class Entry(Message):
    """A participant comes in, with the parameters of the page's address."""

    parameters: dict[Word, Word] = Field(default={}, max_length=50)
    browser: BrowserReport = BrowserReport()


class Entered(Message):
    """Who the participant is from now on."""

    token: str
    code: str


class PageResponse(Message):
    """A page was read and filled in."""

    agree: bool | None = None
    values: dict[Word, str | int | float | list[str] | None] = Field(default={}, max_length=100)
    seconds: Number = 0


class MeasuredTiming(Report):
    """The course of a timed trial, as measured between paints."""

    head_ms: Number
    gap_ms: Number


class ClientReport(Report):
    """How a trial went."""

    shown: Number = 0
    input: Literal["mouse", "touch", "pen", "keyboard", "simulated"] = "mouse"
    focus_losses: int = Field(default=0, ge=0, le=10**6)
    unfocused_ms: Number = 0
    screen: Screen = Screen()
    loading_ms: Number = 0
    timing: MeasuredTiming | None = None
    plays: list[Number] | None = Field(default=None, max_length=30)
    restarts: int = Field(default=0, ge=0, le=10**6)


class Answer(Message):
    """An answer to a question, or its skip."""

    question: str = Field(max_length=64, pattern=r"^[A-Za-z0-9_-]+$")
    response: dict[Word, Any] | None = None
    skipped: bool = False
    rt_ms: float = Field(ge=0, le=24 * HOUR_MS, allow_inf_nan=False)
    client: ClientReport = ClientReport()


class AnswersRequest(Message):
    """Answers, oldest first, and how many questions the page wants to have out."""

    answers: list[Answer] = Field(default=[], max_length=MAX_BATCH)
    want: int = Field(default=0, ge=0, le=MAX_WANT)


class Progress(Message):
    """How many of the main questions are done."""

    done: int
    total: int


class Standing(Message):
    """Where the participant stands, and the page to show."""

    state: Literal[
        "consent",
        "instructions",
        "practice",
        "tasks",
        "questionnaire",
        "debrief",
        "finished",
        "stopped",
    ]
    page: dict[str, Any] | None
    progress: Progress


class Item(Message):
    """What is shown in one place of a question."""

    type: Literal["image", "text", "audio", "video"]
    url: str | None
    text: str | None
    alt: str


class Question(Message):
    """A question, as the page gets it."""

    id: str
    kind: Literal["triplet", "one_of_n", "odd_one_out", "match_to_sample", "classify"]
    purpose: Literal["main", "practice"]
    place: int
    prompt: str
    head: Item | None
    options: list[Item]
    timing: dict[str, Any] | None
    feedback: bool
    break_before: bool


class Me(Standing):
    """All that the page needs to go on."""

    code: str
    questions: list[Question]
    ahead: int
    skip: bool


class Feedback(Message):
    """Whether an answer was right."""

    question: str
    right: bool


class AnswersReply(Standing):
    """What is stored, and what comes next."""

    acknowledged: list[str]
    questions: list[Question]
    feedback: list[Feedback]


class Redirect(Message):
    """Where the browser goes at the end."""

    url: str
    method: Literal["GET", "POST"] = "GET"
    fields: dict[str, str] = {}


class Completion(Message):
    """What the participant takes home."""

    code: str | None
    redirect: Redirect | None


class Refusal(Message):
    """What is wrong, and what to do."""

    model_config = ConfigDict(extra="allow")
    code: str
    message: str
    remedy: str


class Refused(Message):
    """The body of every 4xx and 5xx."""

    error: Refusal
