"""Rehearse a study on a copy with its own database; summarise simulated participants."""

import shutil
import tomllib
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import Any

from resemblance.errors import SettingError
from resemblance.study.files import read_text
from resemblance.study.folder import StudyFolder
from resemblance.study.kinds import KINDS
from resemblance.study.live import LiveStudy
from resemblance.study.quality import Quality, rule_words
from resemblance.study.settings import PAGES_S
from resemblance.study.settings_file import FILE, written

Json = dict[str, Any]
# settings of [recruitment] that the copy contains
PAID = ("pay", "currency", "minutes", "time_zone")
LEFT = ("*.sqlite*", "secret", ".*", "one-time-secret", "*.log")  # files that are not copied
# A gold question is reported if at least MISSED honest people, and a share above OFTEN, miss it.
MISSED, OFTEN = 3, 0.2


def copied(study: StudyFolder, into: Path, at_once: bool = False) -> StudyFolder:
    """Copy a study for a rehearsal.

    With ``at_once``, people answer as fast as the server allows. Rules on the share of answered
    questions use the server's clock, so they are left out then.
    """
    shutil.copytree(study.path, into, ignore=shutil.ignore_patterns(*LEFT))
    settings = tomllib.loads(read_text(study.path / FILE))
    paid = {key: value for key, value in settings.get("recruitment", {}).items() if key in PAID}
    settings["recruitment"] = paid | {"simulated": "count"}
    settings.pop("server", None)
    if at_once:
        quality = settings.get("quality", {})
        rules = [rule for rule in quality.get("rules", []) if rule["measure"] != "answered"]
        settings["quality"] = quality | {"rules": rules}
    (into / FILE).write_text(written(settings), encoding="utf-8")
    try:
        return StudyFolder.open(into)
    except SettingError as error:
        raise SettingError(str(error).replace(str(into), str(study.path))) from None


def summary(live: LiveStudy, kinds: Mapping[str, str]) -> Json:
    """Summarise a rehearsal; ``kinds`` maps pseudonyms to simulated behaviours."""
    quality, people = Quality.of(live), live.store.people.all(live.record)
    finished = [person for person in people if person.state == "finished"]
    minutes = [_minutes(live, quality.counts.get(person.code)) for person in finished]
    paid = live.settings.recruitment
    return {
        "people": dict(Counter(kinds.values())),
        **_counts(live),
        "states": dict(Counter(person.state for person in people)),
        "answers": live.store.answers.count(live.record),
        "minutes": round(median(minutes), 1) if minutes else None,
        "hours": round(sum(minutes) / 60, 2),
        "cost": round(len(finished) * paid.pay, 2),
        "currency": paid.currency,
        "rules": _rules(quality, kinds),
        "gold": _missed(live, kinds),
    }


def _counts(live: LiveStudy) -> Json:
    main = [a for a in live.store.answers.log(live.record) if a.purpose == "main" and not a.skipped]
    conditions: dict[str, Json] = {}
    if live.settings.conditions.names:
        under = [(live.settings.condition(a.arm, a.place), a.code) for a in main]
        answers = Counter(condition for condition, _ in under)
        people = Counter(condition for condition, _ in set(under))
        conditions = {name: {"people": people[name], "answers": answers[name]} for name in answers}
    strategies = Counter(a.spec.get("strategy") or "none" for a in main)
    return {"conditions": conditions, "questions": dict(strategies.most_common())}


def _minutes(live: LiveStudy, counts: Any) -> float:
    seconds = sum(counts.times) / 1000.0 if counts else 0.0
    practice = live.settings.tasks.practice * live.settings.seconds
    return (seconds + practice + PAGES_S) / 60.0


def _rules(quality: Quality, kinds: Mapping[str, str]) -> list[Json]:
    applied: dict[tuple[str, str], Counter[str]] = {}
    for verdict in quality.verdicts():
        key = rule_words(verdict.rule), verdict.rule.action
        applied.setdefault(key, Counter())[kinds.get(verdict.code, "unknown")] += 1
    return [
        {"rule": rule, "action": action, "applies_to": dict(counts)}
        for (rule, action), counts in sorted(applied.items())
    ]


def _missed(live: LiveStudy, kinds: Mapping[str, str]) -> list[Json]:
    asked: Counter[tuple[Any, ...]] = Counter()
    wrong: Counter[tuple[Any, ...]] = Counter()
    for answer in live.store.answers.log(live.record):
        if answer.purpose == "gold" and kinds.get(answer.code) in ("honest", "leaves"):
            kind = KINDS[answer.kind]
            key = kind.identity(answer.spec)
            asked[key] += 1
            wrong[key] += not kind.right(answer.spec, answer.response)
    often = [key for key, n in wrong.items() if n >= MISSED and n > OFTEN * asked[key]]
    return [
        {"question": [str(part) for part in key], "missed": wrong[key], "asked": asked[key]}
        for key in sorted(often, key=lambda key: -wrong[key] / asked[key])
    ]
