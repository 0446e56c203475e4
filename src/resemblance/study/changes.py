"""What a researcher may change while a study runs: limits, rules, shares, the search page.

A change goes before ``study.toml``, which stays as the researcher wrote it. It is kept in the
store, so every process sees it within a second, and a server that starts again too.
"""

from collections.abc import Iterator, Mapping
from datetime import date, datetime
from typing import Any

from pydantic import ValidationError

from resemblance.errors import SettingError
from resemblance.study.settings import Settings
from resemblance.study.settings_file import sentence

Changes = dict[str, Any]
MAY_CHANGE: dict[str, tuple[str, ...]] = {
    "recruitment": ("max_participants", "max_per_day", "tasks_per_day", "close"),
    "quality": ("fast_ms", "rules"),
    "asking": ("shares",),
    "search": ("public", "keep_clicks"),
}


def changed(settings: Settings, changes: Changes | None) -> Settings:
    """Return settings with changes before them.

    Raises
    ------
    SettingError
        If a change is none of those that may be made, or of the wrong type; each is named.

    Examples
    --------
    >>> from resemblance.study.settings import About
    >>> ties = Settings(study=About(name="ties"))
    >>> changed(ties, {"recruitment": {"close": "2031-05-01"}}).recruitment.close
    datetime.date(2031, 5, 1)
    """
    whole = settings.model_dump(exclude_unset=True)  # what is unset follows from other settings
    for section, values in (changes or {}).items():
        if strays := set(values) - set(MAY_CHANGE.get(section, ())):
            raise SettingError(
                f"{section}.{min(strays)} cannot be changed while the study runs: change "
                "study.toml and start the server again"
            )
        whole[section] = whole.get(section, {}) | {
            key: _read(key, value) for key, value in values.items()
        }
    try:
        return Settings.model_validate(whole)
    except ValidationError as error:
        raise SettingError(_sentences(error)) from None


def _sentences(error: ValidationError) -> str:
    problems = (": ".join(sentence(problem)[1:]) for problem in error.errors())
    return "; ".join(dict.fromkeys(problems))


def changed_for_all(settings: Settings, changes: Changes | None) -> Settings:
    """Return settings with changes before them, which every condition can have.

    Raises
    ------
    SettingError
        As :func:`changed`, and if the kind of question of a condition cannot have a change.
    """
    after = changed(settings, changes)
    for name in after.conditions.names:
        try:
            alone(after, name)
        except ValidationError as error:
            raise SettingError(f"condition {name!r}: {_sentences(error)}") from None
    return after


def alone(settings: Settings, condition: str) -> Settings:
    """Return those of a condition as a study of its own has them; refuse what cannot be."""
    fields = settings.in_condition(condition).model_dump(exclude_unset=True)
    return Settings.model_validate(fields | {"conditions": {}})


def differences(settings: Settings, wanted: Mapping[str, Mapping[str, Any]]) -> Changes:
    """Keep of wanted values those that differ from the settings of the file."""
    now = settings.plain()
    kept = {
        section: {key: value for key, value in values.items() if value != now[section][key]}
        for section, values in wanted.items()
    }
    return {section: values for section, values in kept.items() if values}


def told_changes(before: Settings, after: Settings) -> dict[str, list[Any]]:
    """Say what is new for the audit trail: each key, what it was, what it is."""
    pairs = zip(_values(before), _values(after), strict=True)
    return {name: [old, new] for (name, old), (_, new) in pairs if old != new}


def _values(settings: Settings) -> Iterator[tuple[str, Any]]:
    plain = settings.plain()
    for section, keys in MAY_CHANGE.items():
        for key in keys:
            yield f"{section}.{key}", plain[section][key]


def _read(key: str, value: Any) -> Any:
    """Read a date of JSON; all else is as TOML has it."""
    if key != "close" or not isinstance(value, str):
        return value
    try:
        return datetime.fromisoformat(value) if "T" in value else date.fromisoformat(value)
    except ValueError:
        raise SettingError(f"close is {value!r}: give a date such as 2031-05-01") from None
