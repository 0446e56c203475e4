"""Describe a study's settings as the Markdown text of a preregistration."""

from collections.abc import Iterator

from resemblance.catalog import STUDY_MODELS
from resemblance.study.conditions import THEN
from resemblance.study.folder import StudyFolder
from resemblance.study.quality import rule_words
from resemblance.study.settings import Settings


def preregistration(study: StudyFolder) -> str:
    more = " and others" if len(study.stimuli) > 12 else ""
    sections = {
        "Hypotheses": ["[What you expect, and which result would contradict it.]"],
        "Stimuli": [f"{len(study.stimuli)} items: {', '.join(study.names[:12])}{more}."],
        "Questions": list(_questions(study.settings)),
        "Display": list(_display(study.settings)),
        "Conditions": list(_conditions(study.settings)),
        "Participants": list(_participants(study.settings)),
        "Exclusion": list(_exclusion(study.settings)),
        "Stopping": list(_stopping(study.settings)),
        "Analysis": list(_analysis(study.settings)),
    }
    parts = [f"# {study.settings.study.title}: preregistration"]
    parts += [
        f"## {name}\n\n" + "\n".join(f"- {x}" for x in xs) for name, xs in sections.items() if xs
    ]
    return "\n\n".join(parts) + "\n"


def _questions(settings: Settings) -> Iterator[str]:
    of, tasks = settings.study, settings.tasks
    each = map(settings.in_condition, settings.conditions.names or ("",))
    prompts = dict.fromkeys(part.study.prompt for part in each)
    yield from (
        f'Kind: {of.kind}, {of.options} options. The question: "{prompt}"' for prompt in prompts
    )
    yield (
        f"Each person: {tasks.practice} questions of practice, then {tasks.per_participant} tasks "
        f"of {tasks.task_size}; {tasks.gold_share:.0%} gold (the answer is known), "
        f"{tasks.repeat_share:.0%} asked twice, and as many shared with several people."
    )
    if tasks.reason_share:
        yield f'After {tasks.reason_share:.0%} of other questions people are asked "In which way?".'
    if not settings.adaptive:
        yield "Questions are drawn at random."
        return
    shares = ", ".join(f"{name} {share:.0%}" for name, share in settings.asking.shares.items())
    yield (
        f"Questions are chosen from the answers so far: {shares}, after "
        f"{settings.asking.start_per_head} random questions about each item."
    )
    if settings.fits:
        yield f"{settings.asking.held_out:.0%} are random and test the fits; no fit sees them."


def _display(settings: Settings) -> Iterator[str]:
    for name, field in type(settings.display).model_fields.items():
        if (value := getattr(settings.display, name)) != field.default:
            yield f"{name}: {value}. ({field.description})"


def _conditions(settings: Settings) -> Iterator[str]:
    conditions = settings.conditions
    for name in conditions.names:
        of = conditions.of(name)
        asked = settings.in_condition(name).study
        differences = [f'the question "{asked.prompt}"'] if of.wording else []
        differences += ["instructions of its own"] if of.instructions else []
        differences += [f"{key} {value}" for key, value in of.own.items()]
        yield f"{name}: {', '.join(differences) or 'as without conditions'}."
    if conditions.names:
        arms = "; ".join(arm.replace(THEN, ", then ") for arm in conditions.arms)
        how = "by the address" if conditions.assign == "address" else "equally many finish in each"
        yield f"People are assigned to {arms} ({how})."


def _participants(settings: Settings) -> Iterator[str]:
    of = settings.recruitment
    most = of.max_participants
    yield f"{most} people who finish" if most else "[How many people, and why this number.]"
    yield f"Source: {of.source}. Pay: {of.pay:.2f} {of.currency}, for {settings.minutes} minutes."


def _exclusion(settings: Settings) -> Iterator[str]:
    asked = settings.total - settings.tasks.practice
    for rule in settings.quality.judged_by(asked):
        yield f"{rule_words(rule)}, after at least {rule.needed} such answers: {rule.action}."
    yield "Fits leave out answers of excluded people. Skipped questions do not count as answers."


def _stopping(settings: Settings) -> Iterator[str]:
    rules = settings.rules
    for name, bound in rules.items():
        yield f"The study pauses itself at {name} {bound}; the export lists each check."
    if not rules:
        yield "[When you stop asking people.]"


def _analysis(settings: Settings) -> Iterator[str]:
    model = STUDY_MODELS[settings.asking.model]
    yield f"Model: {settings.asking.model} in {settings.asking.n_components} dimensions."
    if model.has_odds:
        yield "Hyperparameters left open are chosen by the log loss on held-out answers."
    yield (
        "Reported: the error on held-out random questions, with its 95 % interval over people, "
        "and the noise ceiling, the least error that people's disagreement allows."
    )
