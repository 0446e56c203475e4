"""The form with which a researcher changes a running study."""

from collections.abc import Mapping
from typing import Any

from resemblance.errors import SettingError
from resemblance.study.rules import MEASURE
from resemblance.study.settings import Settings, Shares

Json = dict[str, Any]
LIMITS = {
    "max_participants": "People in all",
    "max_per_day": "New people a day",
    "tasks_per_day": "Tasks of one person a day",
}
MEASURES: tuple[str, ...] = MEASURE.__args__  # type: ignore[attr-defined]
ACTIONS = ("flag", "stop", "exclude")
SEARCH = {
    "public": "Anybody may search",
    "keep_clicks": "Clicks are kept",
}
SPARE = 2  # empty lines for new rules


def filled_in(settings: Settings) -> dict[str, str]:
    """Fill the form in."""
    plain = settings.plain()
    recruitment, quality = plain["recruitment"], plain["quality"]
    values = {name: _text(recruitment[name]) for name in (*LIMITS, "close")}
    values["fast_ms"] = str(quality["fast_ms"])
    values |= {f"share-{name}": _text(x) for name, x in plain["asking"]["shares"].items()}
    values |= {f"search-{name}": "yes" if plain["search"][name] else "no" for name in SEARCH}
    for number, rule in enumerate(quality["rules"] + [{}] * SPARE):
        side = "above" if rule.get("above") is not None else "below"
        values |= {
            f"rule-{number}-measure": rule.get("measure", ""),
            f"rule-{number}-side": side,
            f"rule-{number}-level": _text(rule.get(side)),
            f"rule-{number}-after": _text(rule.get("after")),
            f"rule-{number}-action": rule.get("action", "flag"),
        }
    return values


def read(form: Mapping[str, str], settings: Settings) -> Json:
    """Read the form that was sent: sections of settings.

    Raises
    ------
    SettingError
        If something is no number; what a value may be is checked where the settings are.
    """
    limits: Json = {name: _number(form, name, int) for name in LIMITS}
    limits["close"] = form.get("close", "").strip() or None
    numbers = range(n_rules(form))
    rules = [_rule(form, n) for n in numbers if form.get(f"rule-{n}-measure")]
    fast = _number(form, "fast_ms", int)
    wanted: Json = {"recruitment": limits, "quality": {"fast_ms": fast or 0, "rules": rules}}
    if any(part.adaptive for part in settings.each):
        names = Shares.model_fields
        shares = {name: _number(form, f"share-{name}", float) or 0.0 for name in names}
        wanted["asking"] = {"shares": shares}
    if any(part.fits for part in settings.each):
        wanted["search"] = {name: form.get(f"search-{name}") == "yes" for name in SEARCH}
    return wanted


def n_rules(form: Mapping[str, str]) -> int:
    """Count the lines of rules in a form."""
    return sum(key.startswith("rule-") and key.endswith("-measure") for key in form)


def _rule(form: Mapping[str, str], n: int) -> Json:
    level = _number(form, f"rule-{n}-level", float)
    side = form.get(f"rule-{n}-side", "below")
    return {
        "measure": form[f"rule-{n}-measure"],
        "below": level if side == "below" else None,
        "above": level if side == "above" else None,
        "after": _number(form, f"rule-{n}-after", int),
        "action": form.get(f"rule-{n}-action", "flag"),
    }


def _number(form: Mapping[str, str], name: str, kind: type) -> Any:
    text = form.get(name, "").strip()
    try:
        return kind(text) if text else None
    except ValueError:
        raise SettingError(f"{name} is {text!r}: give a number") from None


def _text(value: Any) -> str:
    return "" if value is None else str(value)  # of a share every digit: they sum to one
