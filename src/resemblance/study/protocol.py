"""Messages between the participant's page and the server: JSON over HTTP.

The server drives: after every request it says where the participant stands (`Standing`), and the
page shows that. The page keeps no order of pages of its own, so a reload resumes by asking.
Every request below may be repeated with the same body and means the same: a page whose network
fails in the middle simply sends again.

    GET  {root}/s/{study}                         HTML: static/participant.html, see Config
    POST {root}/api/studies/{study}/participants  Entry          -> Entered
    GET  {root}/api/me                                           -> Me
    POST {root}/api/me/pages/{name}               PageResponse   -> Me
    POST {root}/api/me/answers                    AnswersRequest -> AnswersReply
    POST {root}/api/me/finish                     {}             -> Completion
    POST {root}/api/me/withdraw                   Withdrawal     -> Withdrawn

All under /api/me carry `Authorization: Bearer <token>`. Every 4xx and 5xx has the shape `Refused`.
The page speaks the string "error.<code>" of its table where there is one, else `message` and
`remedy`. It tries again by itself on 408, 425, 429 (after Retry-After), 5xx, network errors, and
what has another shape, which a proxy said; it enters anew on `unknown_token`, and shows the rest.
"""

import json
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.json_schema import GenerateJsonSchema, models_json_schema
from typing_extensions import TypeAliasType

from resemblance.study import pages

MAX_WANT = 4
MAX_BATCH = 20
LONGEST_MS = 86_400_000
LONGEST_TEXT = 500
LONGEST_REASON = 80
# longest parameter of the address; a token of Prolific has about a thousand characters
LONGEST_PARAMETER = 4000

Text = Annotated[str, Field(max_length=10_000)]  # bounded text is also checked for half characters
Word = Annotated[str, Field(max_length=LONGEST_TEXT)]
Parameter = Annotated[str, Field(max_length=LONGEST_PARAMETER)]
Number = Annotated[float, Field(ge=-1e15, le=1e15, allow_inf_nan=False)]
Times = Annotated[int, Field(ge=0, le=10**6)]


def _about(words: str, **more: Any) -> Any:
    """Describe a field for the page's types and OpenAPI."""
    return Field(description=words, **more)


class Message(BaseModel):
    """A JSON object that holds what is named here, and nothing else."""

    model_config = ConfigDict(extra="forbid")


class Report(BaseModel):
    """What a browser tells of itself, kept as it is."""

    model_config = ConfigDict(extra="ignore")


class Spoken(Message):
    """A language of the study, which all requests name as Accept-Language."""

    code: str
    name: str = _about("As its speakers call it.")
    direction: Literal["ltr", "rtl"] = "ltr"
    title: str = _about("Of the study.")
    strings: dict[str, str | dict[str, str]] = _about(
        "What the page itself says; where a number decides, a text for each plural of Intl."
    )


class Look(Message):
    """What all people see alike, and what is measured."""

    scheme: str = _about("Colours: auto, light or dark.", default="auto")
    surround: str | None = _about('Around the stimuli, "#808080"; all follows it.', default=None)
    min_width: int = _about("Smallest window, in CSS pixels.", default=0)
    min_height: int = 0
    measures: list[str] = _about("What is measured before the first question.", default=[])
    needs_headphones: bool = False


class Config(Message):
    """What the server fills into the page, in place of `__CONFIG__`, with every "<" escaped."""

    study: str = _about("The name in the addresses.")
    languages: list[Spoken] = _about("Those of the study, its own first.", min_length=1)
    display: Look = Look()
    minutes: int = _about("What the study takes, for {duration} in its pages.", default=0)
    root: str = _about('Before every address; "" unless behind a proxy with a path.', default="")
    hand: bool = _about("Whether answers tell how they were entered.", default=False)
    contact: str | None = _about(
        "Shown with errors that the participant cannot mend.", default=None
    )
    simulate: Literal["data-only", "visual"] | None = _about(
        "The page answers by itself, for tests and demonstrations.", default=None
    )


class Screen(Report):
    """The window."""

    width: Number = _about("In CSS pixels.", default=0)
    height: Number = 0
    ratio: Number = _about("Device pixels per CSS pixel.", default=1)


class BrowserReport(Report):
    """The browser at entry."""

    languages: list[Word] = Field(default=[], max_length=20)
    timezone: Word = ""
    screen: Screen = Field(default_factory=Screen)
    touch: bool = False
    reduced_motion: bool = False
    dark: bool = _about("Whether the page is shown in dark colours.", default=False)
    page: Word = _about("The version of the page.", default="")


class Entry(Message):
    """A participant comes in. Ids of Prolific, MTurk and SONA are read from the parameters."""

    parameters: dict[Word, Parameter] = _about("Of the page's address.", default={}, max_length=50)
    browser: BrowserReport = BrowserReport()
    key: str | None = _about(
        "256 random bits that the page drew, the same when it sends again: it is the same person.",
        default=None,
        pattern="^[0-9a-f]{64}$",
    )


class Entered(Message):
    """Who the participant is from now on."""

    token: str = _about("Kept by the browser; a later entry of the same external id gives another.")
    code: str = _about('The participant\'s pseudonym, "P0001-K7QXM".')


class TextField(pages.TextField):
    """Words; `lines` is 1 for a single line."""

    name: str


class NumberField(pages.NumberField):
    """A number; a `step` of 1 takes whole ones."""

    name: str


class ChoiceField(pages.ChoiceField):
    """One of several; several of them where `multiple`, then the value is a list."""

    name: str


class ScaleField(pages.ScaleField):
    """A point of a scale from `min` to `max`; `low` and `high` stand at its ends."""

    name: str


FormField = TypeAliasType("FormField", TextField | NumberField | ChoiceField | ScaleField)


class Page(Message):
    """A page of text: the server's own rendering of Markdown, safe to insert as it is."""

    name: str = _about("Of the address that it is answered to.")
    kind: Literal["consent", "measure", "instructions", "questionnaire", "debrief", "stopped"]
    title: str
    html: str
    fields: list[FormField] = _about("Asked below the text.")


class PageResponse(Message):
    """A page was read and filled in."""

    agree: bool | None = _about("On pages of consent; null on others.", default=None)
    values: dict[Word, Text | int | float | list[Text] | None] = _about(
        "Of the fields; null where left empty.", default={}, max_length=100
    )
    seconds: Number = _about("How long the page was shown.", default=0)
    pasted: Times | None = _about("How often something was pasted, where it is kept.", default=None)


class Progress(Message):
    """How many of the main questions are done, gold, repeats and skipped ones among them."""

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
        "withdrawn",
    ] = _about("In debrief all is answered: the page calls finish, which may be called again.")
    page: Page | None = _about("To show now; null in practice and tasks.")
    progress: Progress


class Item(Message):
    """What is shown in one place of a question."""

    type: Literal["image", "text", "audio", "video"]
    url: str | None = _about("Of this host, fetched without a token; null of a text.")
    text: str | None
    alt: str = _about('What a screen reader says; "" leaves "Option 2".')
    sides: list[int] = _about(
        "Pixels of the longer side that a picture can be had with, as ?side=240, for its own.",
        default=[],
    )


class Timing(Message):
    """The course of a trial in milliseconds: fixation, head, gap, options."""

    fixation_ms: int = _about("0: none.")
    head_ms: int | None = _about("Null: the head stays with the options.")
    gap_ms: int
    gap: Literal["blank", "mask"] = _about("mask: grey noise over the place of the head.")
    options_ms: int | None = _about("Null: until the answer; else they vanish, and the page waits.")


class Question(Message):
    """A question, as the page gets it."""

    id: str
    kind: str = _about("Of what kind it is, as study.toml names it.")
    plugin: str = _about("The plugin that shows it, as its info names it.")
    purpose: Literal["main", "practice"] = _about("Gold and repeats look like main.")
    place: int = _about("Within the participant, growing.")
    prompt: str = _about("Plain text.")
    head: Item | None = _about("What the options are compared with, if anything.")
    options: list[Item] = _about("In the order shown.")
    timing: Timing | None = _about("Null: all is shown until the answer.")
    extra: dict[str, Any] = _about("What its plugin needs besides.")
    reason: bool = _about("Whether the page asks after the answer in which way.", default=False)
    feedback: bool = _about("Whether the page waits for the answer's feedback and shows it.")
    break_before: bool = _about("Whether a break is offered before it.")


class Me(Standing):
    """What a page needs to resume: where the person stands, and the open questions."""

    code: str
    questions: list[Question] = _about("All that are out (served, not yet answered), by place.")
    ahead: int = _about("How many questions to hold beyond the one on the screen.")
    skip: bool = _about("Whether a question may be skipped.")
    least_answered: float = _about("The share to be answered for the completion code.", default=0)
    withdraw: bool = _about("Whether the page offers to withdraw.", default=False)


class MeasuredTiming(Report):
    """The course of a timed trial, as measured between paints."""

    head_ms: Number
    gap_ms: Number


class Hand(Report):
    """How a question was answered: numbers that tell a hand from a program."""

    moves: Times = _about("How often a mouse moved.", default=0)
    way: Number | None = _about(
        "Pixels, straight, from where the mouse was to where it was pressed last.", default=None
    )
    synthetic: Times = _about("Presses, keys and clicks that a script made.", default=0)
    driven: bool = _about("Whether the browser says that a program steers it.", default=False)


class ClientReport(Report):
    """How a trial went."""

    shown: Number = _about("Unix time of the paint in milliseconds.", default=0)
    input: Literal["mouse", "touch", "pen", "keyboard", "simulated"] = "mouse"
    focus_losses: Times = _about("How often the window was left during the trial.", default=0)
    unfocused_ms: Number = 0
    screen: Screen = Field(default_factory=Screen)
    loading_ms: Number = _about("How long the participant waited for media.", default=0)
    timing: MeasuredTiming | None = None
    plays: list[Number] | None = _about(
        "How often each sound or film was started, head first.", default=None, max_length=30
    )
    hand: Hand | None = _about("Where the study keeps it.", default=None)
    restarts: Times = _about("How often the trial was begun before.", default=0)
    unshown: bool = _about(
        "Whether a part could not be loaded: such a question may always be skipped.", default=False
    )


class Answer(Message):
    """An answer to a question, or its skip."""

    question: str = Field(max_length=64, pattern=r"^[A-Za-z0-9_-]+$")
    response: dict[Word, Any] | None = _about(
        "What was answered, mostly the place of an option: {chosen: 0}; null: skipped.",
        default=None,
    )
    reason: str | None = _about(
        'In which way, in a word or two; "": asked and skipped; null: not asked.', default=None
    )
    skipped: bool = False
    rt_ms: float = _about(
        "From the paint of what is to be answered to the event that answered it.",
        ge=0,
        le=LONGEST_MS,
        allow_inf_nan=False,
    )
    client: ClientReport = Field(default_factory=ClientReport)


class AnswersRequest(Message):
    """Answers, oldest first, and how many questions the page wants to have out."""

    answers: list[Answer] = _about("An answer may come again.", default=[], max_length=MAX_BATCH)
    want: int = _about("Those already out included.", default=0, ge=0, le=MAX_WANT)


class Feedback(Message):
    """Whether an answer was right."""

    question: str
    right: bool


class AnswersReply(Standing):
    """What is stored, and what comes next."""

    acknowledged: list[str] = _about("Questions whose answers are stored, now or before.")
    questions: list[Question] = _about("All that are out now, by place.")
    feedback: list[Feedback] = _about("Of the answers of this request whose question has it.")


class Redirect(Message):
    """Where the browser goes at the end; MTurk takes a POST of the fields."""

    url: str
    method: Literal["GET", "POST"] = "GET"
    fields: dict[str, str] = {}


class Completion(Message):
    """What the participant takes home."""

    code: str | None = _about("null: a researcher looks at the work before it is paid.")
    redirect: Redirect | None


class Withdrawal(Message):
    """A participant takes part no longer, and says what becomes of the answers so far."""

    keep: bool = _about("true: they may be kept; false: all that is stored is deleted at once.")


class Withdrawn(Message):
    """A participant has withdrawn. Who deleted all is unknown from then on: 401."""

    kept: bool
    service: Literal["prolific", "mturk"] | None = _about(
        "Where a submission is to be returned by hand; null: there is none, or it was finished."
    )


class Refusal(Message):
    """What is wrong, and what to do."""

    model_config = ConfigDict(extra="allow")
    code: str
    message: str
    remedy: str
    questions: list[str] | None = _about(
        "Which ones are unknown, of unknown_question: nothing was stored.", default=None
    )


class Refused(Message):
    """The body of every 4xx and 5xx."""

    error: Refusal


MESSAGES = (
    Config,
    Entry,
    Entered,
    Standing,
    Me,
    PageResponse,
    AnswersRequest,
    AnswersReply,
    Completion,
    Withdrawal,
    Withdrawn,
    Refused,
)


class _AsSent(GenerateJsonSchema):
    """The schema of whole messages: all fields required, titles for models only."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def field_is_required(self, field: Any, total: bool) -> bool:
        return True

    def default_schema(self, schema: Any) -> Any:
        return self.generate_inner(schema["schema"])


def schema() -> dict[str, Any]:
    """Return the JSON schema of all messages, and the limits."""
    models: Any = [(model, "serialization") for model in MESSAGES]
    _, schemas = models_json_schema(models, schema_generator=_AsSent)
    names = [name for name in globals() if name.startswith(("MAX_", "LONGEST_"))]
    limits = {name: globals()[name] for name in names}
    return {"description": __doc__, "limits": limits, **schemas}


if __name__ == "__main__":
    print(json.dumps(schema(), indent=1))
