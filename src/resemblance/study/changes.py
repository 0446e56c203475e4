"""Changes of settings while a study runs: limits, rules, asking, search.

The text is kept in the store as well as in the file, so every process has it within a second.
"""

from collections.abc import Iterator
from typing import Any

from resemblance.catalog import RANDOM
from resemblance.study.settings import Settings
from resemblance.study.settings_file import Key

MAY_CHANGE: dict[str, tuple[str, ...]] = {
    "recruitment": ("max_participants", "close"),
    "quality": ("fast_ms", "rules"),
    "asking": ("strategy", "random_share"),
    "search": ("public", "keep_clicks"),
}
ANEW = "put it back, or begin a new study under another name"
WHY = {  # all else of a section stays, and what can be done
    "study": f"the answers so far are to it: {ANEW}",
    "conditions": f"who is asked what follows from it: {ANEW}",
    "stimuli": "the answers so far are about them: `resemblance add-items` adds new ones",
}
AT_THE_START = (
    "people are under way with what it was: stop the server, change the file, and start it again"
)


def refused_changes(before: Settings, after: Settings) -> Iterator[tuple[Key, str]]:
    """Yield settings that may not change while a study runs, with the reason."""
    old, new = before.plain(), after.plain()
    for section, values in new.items():
        for key, value in values.items():
            if value != old[section].get(key) and key not in MAY_CHANGE.get(section, ()):
                why = WHY.get(section, AT_THE_START)
                name = f"{section}.{key}"
                yield (section, key), f"{name} cannot be changed while the study runs: {why}"
    if before.asking.adaptive != after.asking.adaptive:
        yield (
            ("asking", "strategy"),
            f"asking.strategy cannot be changed from or to {RANDOM} while the study runs: "
            f"{AT_THE_START}",
        )


def with_changes(settings: Settings, edited: Settings) -> Settings:
    """Return settings with the permitted changes of another text.

    >>> from datetime import date
    >>> from resemblance.study.settings import About
    >>> ties = Settings(study=About(name="ties"))
    >>> close = {"recruitment": {"close": date(2031, 5, 1)}}
    >>> with_changes(ties, Settings(study=About(name="x"), **close)).recruitment.close
    datetime.date(2031, 5, 1)
    """
    sections = {}
    for section, keys in MAY_CHANGE.items():
        now = {key: getattr(getattr(edited, section), key) for key in keys}
        sections[section] = getattr(settings, section).model_copy(update=now)
    return settings.model_copy(update=sections)


def alone(settings: Settings, condition: str) -> Settings:
    """Return a condition's settings as those of a study of its own, checked."""
    fields = settings.in_condition(condition).model_dump(exclude_unset=True)
    return Settings.model_validate(fields | {"conditions": {}})


def told_changes(before: Settings, after: Settings) -> dict[str, list[Any]]:
    """Return the changes for the audit trail: each key with its old and new value."""
    pairs = zip(_values(before), _values(after), strict=True)
    return {name: [old, new] for (name, old), (_, new) in pairs if old != new}


def _values(settings: Settings) -> Iterator[tuple[str, Any]]:
    plain = settings.plain()
    for section, keys in MAY_CHANGE.items():
        for key in keys:
            yield f"{section}.{key}", plain[section][key]
