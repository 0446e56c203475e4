"""The settings of a study: all sections of ``study.toml``."""

import math
import os
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from functools import partial
from inspect import signature
from ipaddress import ip_network
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, ValidationInfo, create_model, field_validator, model_validator

from resemblance.catalog import (
    ALL_MODELS,
    AUTO_MODEL,
    BESIDE,
    COMPARED,
    CONTRADICTIONS,
    DATABASE,
    GOLD_SHARE,
    ORIGIN,
    RANDOM,
    STRATEGIES,
    STRATEGY,
    STUDY_MODEL,
    STUDY_MODELS,
    find,
    with_odds,
)
from resemblance.errors import SettingError
from resemblance.study.conditions import Conditions, conditions_of
from resemblance.study.display import Display
from resemblance.study.features import Design, Features
from resemblance.study.kinds import DEFAULT, KINDS, Kind, KindName
from resemblance.study.languages import DEFAULT as ENGLISH, LANGUAGES, find_language
from resemblance.study.sections import (
    FIRST_TEMPLATES,
    Count,
    Pages,
    Privacy,
    Publication,
    Quality,
    Recruitment,
    Search,
    Section,
    Share,
    Some,
    Stopping,
    Translation,
    one_of,
    setting,
)


def _either(names: Iterable[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} or {last}"


def _default_options() -> str:
    n = {name: kind.options.default for name, kind in KINDS.items()}
    others = ", ".join(f"{name} {n[name]}" for name in n if n[name] != n[DEFAULT])
    return f"{n[DEFAULT]} ({others})"


if TYPE_CHECKING:
    ModelName = str
    StrategyName = str
    _OwnSections = Section
else:
    ModelName = one_of(STUDY_MODELS, partial(find, STUDY_MODELS, "model"))
    # sections that belong to a kind of question
    _own = dict(kind.section for kind in KINDS.values() if kind.section)
    _OwnSections = create_model(
        "_OwnSections", __base__=Section, **{key: (own, own()) for key, own in _own.items()}
    )
    StrategyName = one_of(STRATEGIES, partial(find, STRATEGIES, "strategy"))


SEED = 0  # seed of a study's sessions
PAGES_S = 90.0  # seconds to read the pages of a study
REASON_S = 8.0  # seconds to type a word or two


# language tags of BCP 47
Code = Annotated[str, Field(pattern=r"^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$")]


class About(Section):
    """The study's name, question and languages."""

    name: str = Field(
        pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$",
        description="Name in addresses: lower-case letters, digits, - and _.",
    )
    title: str = setting(
        "", "The title that people see; default: a text of the language.", usual=True
    )
    language: Code = setting(ENGLISH, f"Language of the pages: {_either(LANGUAGES)}.", usual=True)
    translations: dict[Code, Translation] = setting(
        {}, "Tables [study.translations.CODE]: further languages that people can choose."
    )
    kind: KindName = setting(DEFAULT, f"{_either(KINDS)}.", usual=True)
    wording: str | None = setting(None, "The question, above every trial.", usual=True)
    n_options: int | None = setting(None, f"Options of a question; default: {_default_options()}.")
    contact: str | None = setting(None, "Contact, shown with errors.", usual=True)

    @model_validator(mode="before")
    @classmethod
    def _titled(cls, section: Any) -> Any:
        if not isinstance(section, dict) or "title" in section:
            return section
        return {**section, "title": find_language(str(section.get("language", ENGLISH))).title}

    @model_validator(mode="after")
    def _options_of_kind(self) -> "About":
        least, _, most = KINDS[self.kind].options
        if not least <= self.options <= most:
            raise ValueError(f"n_options is {self.options}, but {self.kind} has {least} to {most}")
        return self

    @property
    def options(self) -> int:
        default = KINDS[self.kind].options.default
        return default if self.n_options is None else self.n_options

    @property
    def prompt(self) -> str:
        return self.wording or str(self.usual_words["wording"])

    @property
    def usual_words(self) -> Mapping[str, Any]:
        return find_language(self.language).kinds[self.kind]

    @property
    def languages(self) -> tuple[str, ...]:
        return self.language, *self.translations


class Stimuli(Section):
    """The items that participants see or hear."""

    folder: str = setting("stimuli", "Folder of pictures, sounds or films.", usual=True)
    items: str | None = setting(
        None, "CSV file with the columns name, file or text, alt, label, url.", usual=True
    )


class Tasks(Section):
    """Number and kinds of questions for each person."""

    per_participant: Some = setting(2, "Tasks that a person may do.", usual=True)
    task_size: Some = setting(50, "Questions of a task.", usual=True)
    gold_share: Share = setting(
        GOLD_SHARE, "Share of gold questions (catch trials), whose answer is known.", usual=True
    )
    gold: str | None = setting(
        None, "CSV file: head, right, wrong (by |). Default: the head is among the options."
    )
    pairs: str | None = setting(
        None, "CSV file of the pairs to ask, columns a and b. Default: any pair."
    )
    repeat_share: Share = setting(
        0.0, "Share asked the same person twice; an equal share is asked of several people."
    )
    reason_share: Share = setting(
        0.0, 'Share of questions after which people are asked "In which way?", for a word or two.'
    )
    practice: Count = setting(3, "Questions before the first task; never fitted.", usual=True)
    feedback: bool = setting(False, "Whether a sign and a tone show if the answer was right.")
    skip: bool = setting(True, "Whether a question may be skipped.")

    @model_validator(mode="after")
    def _questions_left(self) -> "Tasks":
        if (share := self.gold_share + self.repeat_share) >= 1.0:
            raise ValueError(f"gold_share and repeat_share sum to {share:g}: lower them below 1")
        return self


class Asking(Section):
    """Choice of the next questions, and the fitted map."""

    strategy: StrategyName = setting(STRATEGY, f"{_either(STRATEGIES)}.", usual=True)
    random_share: float = setting(
        0.0, "Share of random questions among the chosen ones.", ge=0.0, lt=1.0
    )
    contradiction_share: float = setting(
        0.0, "Share of questions asked again as answers contradict each other.", ge=0.0, lt=1.0
    )
    model: ModelName = setting(
        STUDY_MODEL,
        f"{_either(STUDY_MODELS)}. auto: the best of {', '.join(COMPARED)}, by the likelihood of "
        "held-out answers.",
    )
    n_components: Some = setting(2, "Dimensions of the space.", usual=True)
    start_per_head: Some = setting(10, "Random questions about each item at first.")
    held_out: float = setting(
        0.05, "Share of held-out questions, on which fits are tested.", ge=0.0, lt=1.0
    )
    models: list[str] = setting(
        [], "CSV files, each with vectors of all items: the models to tell apart."
    )

    @model_validator(mode="after")
    def _models_to_tell_apart(self) -> "Asking":
        if STRATEGIES[self.strategy].needs_models and len(self.models) < 2:
            raise ValueError(
                f"{self.strategy} asks questions on which models disagree, but models names "
                f"{len(self.models)}: name two files or more"
            )
        return self

    @model_validator(mode="after")
    def _shares_below_1(self) -> "Asking":
        if (share := self.random_share + self.contradiction_share) >= 1.0:
            raise ValueError(
                f"random_share and contradiction_share sum to {share:g}: lower them below 1"
            )
        return self

    @property
    def adaptive(self) -> bool:
        return STRATEGIES[self.strategy].adaptive or self.contradiction_share > 0

    @property
    def shares(self) -> dict[str, float]:
        """The share of questions that each strategy chooses."""
        if not self.adaptive:
            return {RANDOM: 1.0}
        rest = 1.0 - self.random_share - self.contradiction_share
        shares = {CONTRADICTIONS: self.contradiction_share, RANDOM: self.random_share}
        shares[self.strategy] = shares.get(self.strategy, 0.0) + rest
        return {name: share for name, share in shares.items() if share}


class Server(Section):
    """Network address and database of the server."""

    port: int = setting(8000, "Port to listen on; 0: any free one.", ge=0, le=65535)
    database: str | None = setting(
        None,
        "sqlite:///file or postgresql://...; default: study.sqlite here. The variable "
        f"{DATABASE} overrides it.",
    )
    address: str | None = setting(
        None, "Public address behind a TLS proxy.", pattern=r"^https?://[^/]+$", usual=True
    )
    proxies: list[str] | None = setting(
        None,
        "Trusted reverse proxies; default: this machine if there is a public address, else none.",
    )

    origins: list[Annotated[str, Field(pattern=ORIGIN)]] = setting(
        [], "Other sites whose pages may run the study, such as https://lab.example.org."
    )

    @field_validator("proxies")
    @classmethod
    def _networks(cls, proxies: list[str] | None) -> list[str] | None:
        for name in proxies or ():
            try:
                ip_network(name)
            except ValueError as error:
                raise ValueError(f"{error}: give an address, or a network") from None
        return proxies

    @property
    def trusted(self) -> list[str]:
        """The proxies whose headers about visitors' addresses are trusted."""
        if self.proxies is None:
            return ["127.0.0.1", "::1"] if self.address else []
        return self.proxies


def database_of_environment() -> str | None:
    address, file = os.environ.get(DATABASE), os.environ.get(f"{DATABASE}_FILE")
    if address or not file:
        return address or None
    try:
        address = Path(file).read_text(encoding="utf-8").strip()
    except (OSError, ValueError) as error:
        problem = f"{DATABASE}_FILE names {file}, which cannot be read ({error})"
        raise SettingError(problem) from None
    if not address:
        raise SettingError(f"{DATABASE}_FILE names {file}, which is empty: write the address there")
    return address


class Settings(_OwnSections):
    """All of ``study.toml``: a table for each section."""

    study: About
    stimuli: Stimuli = Stimuli()
    display: Display = Display()
    tasks: Tasks = Tasks()
    conditions: Conditions = Conditions()
    asking: Asking = Asking()
    features: Features = Features()
    design: Design = Design()
    quality: Quality = Quality()
    recruitment: Recruitment = Recruitment()
    stopping: Stopping = Stopping()
    search: Search = Search()
    pages: Pages = Pages()
    privacy: Privacy = Privacy()
    publication: Publication = Publication()
    server: Server = Field(default=Server(), validate_default=True)

    @field_validator("*")
    @classmethod
    def _goes_with_others(cls, section: Any, info: ValidationInfo) -> Any:
        for check, (name, *others) in CHECKS.items():
            beside = [info.data.get(other) for other in others]
            if name == info.field_name and None not in beside:
                check(section, *beside)
        return section

    def condition(self, arm: str | None, place: int) -> str:
        """Return the condition of the question at a place; "" if the study has no conditions."""
        if not arm:
            return ""
        names = conditions_of(arm)
        task = max(0, place - self.tasks.practice) // self.tasks.task_size
        return names[min(task * len(names) // self.tasks.per_participant, len(names) - 1)]

    def block_ends(self, arm: str | None, place: int) -> int:
        """Return the place after the last question in the condition at ``place``."""
        n = len(conditions_of(arm))
        size = self.tasks.per_participant // n * self.tasks.task_size
        done = max(0, place - self.tasks.practice) // size
        return self.tasks.practice + (done + 1) * size

    def in_condition(self, name: str) -> "Settings":
        of, about = self.conditions.of(name), self.study
        study = about.model_copy(update={"wording": of.wording or about.wording})
        return self.model_copy(update={"study": study}).with_own(of.own)

    @property
    def rules(self) -> dict[str, Any]:
        """The rules that pause the study, with their limits."""
        return self.stopping.rules | self.design.rules

    @property
    def total(self) -> int:
        return self.tasks.practice + self.tasks.per_participant * self.tasks.task_size

    @property
    def minutes(self) -> int:
        """The announced duration for a person, in whole minutes."""
        return max(1, round(self.exact_minutes))

    @property
    def exact_minutes(self) -> float:
        """The duration in minutes: recruitment.minutes, or estimated from the questions."""
        pages = PAGES_S + self.display.seconds
        return self.recruitment.minutes or max(
            2, math.ceil((self.seconds * self.total + pages) / 60)
        )

    @property
    def seconds(self) -> float:
        return KINDS[self.study.kind].seconds + REASON_S * self.tasks.reason_share

    @property
    def adaptive(self) -> bool:
        chosen = self.asking.adaptive and self.tasks.pairs is None
        return chosen and KINDS[self.study.kind].adaptive

    @property
    def fits(self) -> bool:
        """Whether a session can fit the answers, which must be comparisons of few options."""
        return KINDS[self.study.kind].fits(self.study.options)

    @property
    def maps(self) -> bool:
        """Whether a map is fitted during the study, from comparisons or measured distances."""
        return KINDS[self.study.kind].maps(self.study.options)

    def first_fit(self, n_items: int) -> int:
        """Return the number of answers before the first map of ``n_items`` items or templates."""
        if KINDS[self.study.kind].has_templates:
            return FIRST_TEMPLATES
        distances = max(1, KINDS[self.study.kind].distances(self.study.options))
        return math.ceil(self.asking.start_per_head * n_items / distances)

    @property
    def own(self) -> Section | None:
        """The section of the kind of question, or None. Missing texts come from the language."""
        section = KINDS[self.study.kind].section
        if section is None:
            return None
        own, usual = getattr(self, section[0]), self.study.usual_words
        unset = {name for name in section[1].model_fields if not getattr(own, name)}
        return own.model_copy(update={name: usual[name] for name in unset & usual.keys()})

    def own_words(self) -> set[str]:
        """Return the keys of the kind's own section that the researcher has filled with texts."""
        section = KINDS[self.study.kind].section
        fields = getattr(self, section[0]).model_dump() if section else {}
        return {name for name, value in fields.items() if value and name in self.study.usual_words}

    def spoken(self, language: str) -> "Settings":
        translation = self.study.translations.get(language)
        if translation is None:
            return self
        update: dict[str, Any] = {"language": language, "wording": translation.wording}
        update["title"] = translation.title or self.study.title
        sections: dict[str, Any] = {"study": self.study.model_copy(update=update)}
        sections["conditions"] = self.conditions.worded(translation.conditions)
        return self.model_copy(update=sections).with_own(translation.own)

    def with_own(self, changes: Mapping[str, Any]) -> "Settings":
        """Return the settings with changes to the kind's own section."""
        if not changes:
            return self
        section = KINDS[self.study.kind].section
        if section is None:
            raise ValueError(f"{self.study.kind} has no table of its own: remove own")
        own = {**getattr(self, section[0]).model_dump(), **changes}
        return self.model_copy(update={section[0]: section[1].model_validate(own)})

    def closes(self) -> float | None:
        close = self.recruitment.close
        if close is None:
            return None
        zone = self.recruitment.zone
        day = datetime(close.year, close.month, close.day, tzinfo=zone)
        moment = close if isinstance(close, datetime) else day
        return (moment if moment.tzinfo else moment.replace(tzinfo=zone)).timestamp()

    def plain(self) -> dict[str, Any]:
        return self.model_dump(mode="json")


def _blocks_of_whole_tasks(conditions: Conditions, tasks: Tasks) -> None:
    n = len(conditions.within)
    if n and tasks.per_participant % n:
        raise ValueError(
            f"each person has {n} conditions one after the other, but "
            f"{tasks.per_participant} tasks: set tasks.per_participant to a multiple of {n}"
        )


def _choosing_needs_likelihood(asking: Asking, study: About) -> None:
    kind = KINDS[study.kind]
    if asking.adaptive and kind.adaptive:
        _refuse_strategy(kind, study.options, asking)
    asks = kind.adaptive and kind.fits(study.options)
    if STUDY_MODELS[asking.model].has_odds or not asks:
        return
    if study.options > 2:
        raise ValueError(
            f"{asking.model} needs questions of two options, but these have {study.options}: fit "
            f"{with_odds()}, or set study.n_options to 2"
        )
    if asking.adaptive:
        raise ValueError(
            f"{asking.strategy} questions are chosen by probabilities of answers, which "
            f'{asking.model} does not give: set strategy to "{RANDOM}", or fit {with_odds()}'
        )


def _refuse_strategy(kind: Kind, options: int, asking: Asking) -> None:
    usable = [
        name
        for name, entry in (STRATEGIES | BESIDE).items()
        if (kind.head_apart or not entry.needs_head)
        and (kind.fits(options) or name in (STRATEGY, RANDOM))
    ]
    used = [asking.strategy, *[CONTRADICTIONS] * (asking.contradiction_share > 0)]
    if not {*used} <= {*usable}:
        what = "a head" if kind.fits(options) else "comparisons"
        raise ValueError(
            f"{used[-1]} needs {what}, which {kind.name} does not have: set strategy to "
            f"{_either(name for name in usable if name in STRATEGIES)}, contradiction_share to 0"
        )


def _tasks_of_the_kind(tasks: Tasks, study: About) -> None:
    for name, needed in (("pairs", "of_pairs"), ("reason_share", "asks_reason")):
        if getattr(tasks, name) and not getattr(KINDS[study.kind], needed):
            kinds = _either(other for other, kind in KINDS.items() if getattr(kind, needed))
            raise ValueError(f"{name} needs questions of {kinds}, not {study.kind}: remove {name}")


def _features_of_comparisons(features: Features, study: About, asking: Asking) -> None:
    if features.file is None:
        return
    if ALL_MODELS[KINDS[study.kind].model].features:
        if asking.model != AUTO_MODEL:
            raise ValueError(f"{asking.model} cannot use features: set asking.model to auto")
        if isinstance(features.columns, dict):
            raise ValueError(f"{study.kind} needs one list of columns: give columns as a list")
        return
    if not KINDS[study.kind].fits(study.options):
        raise ValueError(
            f"features are a prior for fits to comparisons, and answers to {study.kind} are not "
            "comparisons: remove the file"
        )
    if not STUDY_MODELS[asking.model].believes:
        raise ValueError(f"{asking.model} cannot use features: fit {with_odds()}")


def _design_of_a_map(
    design: Design, study: About, features: Features, asking: Asking, tasks: Tasks, stimuli: Stimuli
) -> None:
    needs = {
        'study.kind = "match_to_sample"': KINDS[study.kind].model == "yada",
        "features": features.file is not None,
        "pictures in a folder, not stimuli.items": stimuli.items is None,
        f"asking.n_components = {len(design.grid)}": len(design.grid) == asking.n_components,
        f'asking.strategy = "{STRATEGY}"': asking.adaptive,
        "any pair, not tasks.pairs": tasks.pairs is None,
    }
    lacking = [need for need, holds in needs.items() if not holds]
    if design.grid and lacking:
        raise ValueError(
            f"a grid needs {'; '.join(lacking)}: change this, or remove grid (`resemblance new "
            "--draw` makes a study of drawn stimuli)"
        )


def _rules_of_maps(stopping: Stopping, study: About) -> None:
    kind = KINDS[study.kind]
    compared = stopping.error is not None or stopping.gain is not None
    if compared and not kind.fits(study.options):
        rule = "gain" if stopping.error is None else "error"
        raise ValueError(
            f"{rule} needs comparisons, and this study asks {kind.label}: set stopping.answers or "
            "recruitment.close instead"
        )
    if stopping.answers is not None and not kind.maps(study.options):
        raise ValueError(
            f"answers are counted at each fit, and {kind.label} is not fitted during the study: "
            "set recruitment.max_participants instead"
        )


def _search_of_a_map(search: Search, study: About, asking: Asking) -> None:
    if not search.public:
        return
    kind = KINDS[study.kind]
    if not kind.maps(study.options) or kind.has_right:  # A map of confusions cannot be searched.
        raise ValueError(
            f"{study.kind} of {study.options} options has no map to search during the study: set "
            "public to false, and serve a map fitted afterwards by `resemblance search`"
        )
    if not STUDY_MODELS[asking.model].has_odds:
        raise ValueError(
            f"public needs probabilities of answers, which {asking.model} does not give: set it to "
            f"false, or fit {with_odds()}"
        )


def _agreement_of_all(quality: Quality, conditions: Conditions) -> None:
    if conditions.names and quality.gold_from_agreement:
        raise ValueError(
            "people in different conditions need not agree: set gold_from_agreement to 0"
        )


def _signed_for_an_address(server: Server, recruitment: Recruitment) -> None:
    if recruitment.signed and not server.address:
        raise ValueError(
            "recruitment.signed needs the public address, for which Prolific signs entries: give "
            "server.address, or set signed to false"
        )


CHECKS: dict[Callable[..., None], list[str]] = {
    check: [*signature(check).parameters]
    for check in (
        *(_blocks_of_whole_tasks, _choosing_needs_likelihood, _features_of_comparisons),
        *(_tasks_of_the_kind, _design_of_a_map, _agreement_of_all, _rules_of_maps),
        *(_search_of_a_map, _signed_for_an_address),
    )
}
