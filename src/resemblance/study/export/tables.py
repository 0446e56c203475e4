"""The tables of an export, row by row."""

import json
import os
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property, partial
from itertools import takewhile
from pathlib import Path
from typing import Any

from resemblance.catalog import REASON
from resemblance.errors import SettingError
from resemblance.store import Answer, Participant
from resemblance.study.conditions import CONDITION
from resemblance.study.display import MEASURED
from resemblance.study.export import columns
from resemblance.study.features import ITEM
from resemblance.study.kinds import KINDS
from resemblance.study.kinds.base import JudgmentTable, Kind, Row, drawn_file
from resemblance.study.live import LiveStudy
from resemblance.study.privacy import readable
from resemblance.study.quality import MAP, Quality
from resemblance.study.questions import SLOT
from resemblance.study.settings_file import without_secrets
from resemblance.study.stopping import LOOK

# why an answer is not among the judgments
REASONS = ("practice", "skipped", "simulated", "excluded")
# Private tables: "pages" has texts that people typed, "events" is the audit trail.
UNPUBLISHED = ("pages", "events")
# Keys of a specification that have their own columns, or are not exported.
USUAL = ("kind", "head", "options", "gold", "strategy", "held_out", "session", SLOT)


@dataclass(frozen=True)
class Table:
    """One file of an export."""

    name: str
    about: str  # description of a row
    columns: dict[str, str]  # descriptions by column
    rows: Callable[[], Iterator[Row]]


class Export:
    """All data of a study as tables, with pseudonyms of people.

    ``identified`` adds people's ids at the recruiting service. ``published`` leaves out the audit
    trail, private settings and texts that people typed; also simulated people, unless the settings
    count them. Paths of pictures are relative to ``beside``.
    """

    def __init__(
        self,
        live: LiveStudy,
        *,
        identified: bool = False,
        with_excluded: bool = False,
        with_simulated: bool = False,
        beside: Path | None = None,
        published: bool = False,
    ) -> None:
        if published and identified:
            raise SettingError("ids at the source are personal data: leave --identified out")
        self.published = published
        self.live, self.identified, self.with_excluded = live, identified, with_excluded
        self.with_simulated = with_simulated or live.settings.recruitment.counts_simulated
        self.hides_simulated = published and not self.with_simulated
        self.beside = beside
        self.excluded = live.store.people.excluded(live.record)

    @property
    def kind(self) -> Kind:
        return self.live.kind

    @property
    def asked(self) -> str:
        of = self.live.settings
        each = map(of.in_condition, of.conditions.names or ("",))
        return " / ".join(dict.fromkeys(part.study.prompt for part in each))

    @cached_property
    def quality(self) -> Quality:
        """Counts of answers. Answers after the first use of these counts are not exported."""
        return Quality.of(self.live)

    @cached_property
    def left_out(self) -> Counter[str]:
        """The number of answers that are not judgments, by reason."""
        return Counter(reason for answer in self._all() for reason in self._reasons(answer))

    def tables(self) -> list[Table]:
        tables = [
            *self._judgments(),
            Table("answers", "An answer, or a skip.", columns.LOG | self.further, self._log),
            Table("participants", "A person.", self._person_columns(), self._people),
            Table("pages", "A field that was filled in on a page.", columns.PAGE, self._pages),
            Table("items", "An item.", self._item_columns(), self._items),
            *self._features(),
            Table("fits", "A fit of the server.", columns.FIT, self._fits),
            *self._stopping(),
            *self._spacing(),
            Table("events", "A line of the audit trail.", columns.EVENT, self._events),
        ]
        return [table for table in tables if not (self.published and table.name in UNPUBLISHED)]

    def settings(self) -> str:
        return without_secrets(self.live.record.settings, self.published)

    def images(self) -> Iterator[tuple[str, Callable[[], bytes]]]:
        """Yield the name of the file of each noisy image, and a function that returns the file."""
        for answer in self.answered() if self.kind.draws else ():
            condition = self.live.settings.condition(answer.arm, answer.place)
            material = self.live.in_condition(condition).material
            yield drawn_file(answer.id), partial(self.kind.draw, answer.spec, material)

    def _judgments(self) -> list[Table]:
        excluded = {"excluded": columns.LOG["excluded"]} if self.with_excluded else {}
        more = columns.ANSWER | excluded | self.further
        return [
            Table(
                table.name,
                table.about,
                {**table.columns, **({} if table.pool else more)},
                partial(self._rows, self.kind, table),
            )
            for table in self.kind.tables
        ]

    def _features(self) -> list[Table]:
        features = self.live.folder.features()
        if features is None:
            return []

        def rows() -> Iterator[Row]:
            for name in self.live.folder.names:
                yield {ITEM: name, **dict(zip(features.columns, features.rows[name], strict=True))}

        words = {ITEM: "The item.", **{name: f"Its {name}." for name in features.columns}}
        return [Table("features", "The features of an item.", words, rows)]

    def _reasons(self, answer: Answer) -> list[str]:
        reasons = [
            ("practice", answer.purpose == "practice"),
            ("skipped", answer.skipped),
            ("simulated", answer.simulated and not self.with_simulated),
            ("excluded", answer.participant in self.excluded and not self.with_excluded),
        ]
        return [reason for reason, holds in reasons if holds][:1]

    def _all(self) -> Iterator[Answer]:
        log = self.live.store.answers.log(self.live.record)
        return takewhile(lambda answer: answer.id <= self.quality.last, log)

    def answered(self) -> Iterator[Answer]:
        return (answer for answer in self._all() if not self._reasons(answer))

    def _rows(self, kind: Kind, table: JudgmentTable) -> Iterator[Row]:
        answered = (
            (answer, row)
            for answer in self.answered()
            if answer.kind == kind.name and table.counts(answer.spec)
            for row in kind.exported(answer.spec, answer.response, answer.id)
        )
        if table.pool is not None:
            yield from table.pool(
                row | {"strategy": answer.spec["strategy"]} for answer, row in answered
            )
        else:
            yield from (row | self._common(answer) for answer, row in answered)

    @property
    def further(self) -> dict[str, str]:
        """Columns of conditions and of words, in studies that have them."""
        condition = columns.CONDITION if self.live.settings.conditions.names else {}
        return condition | (columns.WORDS if self.asked_words and not self.published else {})

    @cached_property
    def asked_words(self) -> bool:
        """Whether people are asked for words, or were before the setting changed."""
        asked = self.live.settings.tasks.reason_share > 0
        return self.kind.asks_reason and (
            asked or any(REASON in (answer.response or {}) for answer in self._all())
        )

    def _common(self, answer: Answer) -> Row:
        kind, reason = KINDS[answer.kind], (answer.response or {}).get(REASON)
        return {
            "observer": answer.code,
            "simulated": answer.simulated,
            "side": None if answer.skipped else kind.side(answer.response),
            "rt_ms": answer.rt_ms,
            "time": when(answer.received),
            "purpose": answer.purpose,
            "strategy": answer.spec["strategy"],
            "held_out": answer.spec["held_out"],
            "excluded": answer.participant in self.excluded,
            CONDITION: self.live.settings.condition(answer.arm, answer.place),
            REASON: reason or None,
            "reason_asked": reason is not None,
        }

    def _is_listed(self, record: Answer | Participant) -> bool:
        return not (self.hides_simulated and record.simulated)

    def _log(self) -> Iterator[Row]:
        return map(self._logged, filter(self._is_listed, self._all()))

    def _logged(self, answer: Answer) -> Row:
        spec, kind = answer.spec, KINDS[answer.kind]
        right = None if spec["gold"] is None else spec["options"][spec["gold"]]
        further = {name: value for name, value in spec.items() if name not in USUAL}
        return {
            **self._common(answer),
            "answer": answer.id,
            "place": answer.place,
            "kind": answer.kind,
            "head": spec["head"],
            "options": spec["options"],
            "known": right,
            "chosen": None if answer.skipped else kind.answered(spec, answer.response),
            "right": None if answer.skipped else kind.right(spec, answer.response),
            "skipped": answer.skipped,
            "served": when(answer.served),
            "client": _json(answer.client),
            "question": _json(further) if further else None,
        }

    def _person_columns(self) -> dict[str, str]:
        assigned = self.live.settings.conditions.names
        described = columns.PARTICIPANT | (columns.ARM if assigned else {})
        described |= columns.LANGUAGE if self.live.settings.study.translations else {}
        described |= {name: MEASURED[name] for name in self.live.settings.display.row({})}
        described |= columns.HAND if self.live.settings.quality.hand else {}
        return described | (columns.IDENTIFIED if self.identified else {})

    def _people(self) -> Iterator[Row]:
        several, display = self.live.settings.study.translations, self.live.settings.display
        languages: dict[str, str | None] = {}
        measured: dict[str, Row] = {}
        for page in self.live.store.people.responses(self.live.record):
            languages[page.code] = page.response.get("language")
            if page.page in display.pages:
                measured.setdefault(page.code, {}).update(page.response["values"])
        for person in filter(self._is_listed, self.live.store.people.all(self.live.record)):
            row = {
                "observer": person.code,
                "simulated": person.simulated,
                "source": person.source,
                "state": person.state,
                "entered": when(person.created),
                "finished": None if person.finished is None else when(person.finished),
                "excluded": person.id in self.excluded,
                **self.quality.row(person.code),
                **self.live.settings.conditions.row(person.arm),
                **({"language": languages.get(person.code)} if several else {}),
                **display.row(measured.get(person.code, {})),
            }
            if self.identified:
                external_id, browser = readable(person)
                row |= {"external_id": external_id, "browser": _json(browser)}
            yield row

    def _pages(self) -> Iterator[Row]:
        for page in self.live.store.people.responses(self.live.record):
            row = {
                "observer": page.code,
                "simulated": page.simulated,
                "page": page.page,
                "time": when(page.received),
            }
            values = {**page.response, **(page.response.get("values") or {})}
            for field, value in values.items():
                if field != "values" and value is not None:
                    text = value if isinstance(value, str) else _json(value)
                    yield row | {"field": field, "value": text}

    def _item_columns(self) -> dict[str, str]:
        stimuli = self.live.folder.stimuli
        drawn = self.beside is not None and all(stimulus.type == "image" for stimulus in stimuli)
        there = {"label": any(stimulus.label for stimulus in stimuli), "image": drawn}
        there["url"] = any(stimulus.link for stimulus in stimuli)
        return {name: words for name, words in columns.ITEM.items() if there.get(name, True)}

    def _items(self) -> Iterator[Row]:
        for item in self.live.folder.stimuli:
            file = None if item.path is None else item.path.name
            image = item.path and self.beside and os.path.relpath(item.path, self.beside)
            row = {"item": item.name, "type": item.type, "text": item.text, "alt": item.alt}
            more = {"label": item.label, "url": item.link, "digest": item.digest}
            yield row | more | {"file": file, "image": image}

    def _fits(self) -> Iterator[Row]:
        for event in self.live.store.events.audit(self.live.record, "fit"):
            row = {name: event.details.get(name) for name in columns.FIT if name != "time"}
            yield row | {"time": when(event.at)}

    def _stopping(self) -> list[Table]:
        looks = self.live.store.events.audit(self.live.record, LOOK)
        if not looks:
            return []

        def rows() -> Iterator[Row]:
            for event in looks:
                bounds = {f"bound_{name}": bound for name, bound in event.details["rules"].items()}
                row = dict.fromkeys(columns.STOPPING) | event.details["figures"] | bounds
                paused = "|".join(event.details["paused_by"])
                yield row | {"time": when(event.at), "paused_by": paused}

        return [Table("stopping", "A look at the stopping rules.", columns.STOPPING, rows)]

    def _spacing(self) -> list[Table]:
        scored = self.live.store.spaces.scored(self.live.record)
        design = (scored[-1].scores.get("design") if scored else None) or {}

        def rows() -> Iterator[Row]:
            for a, b, distance, half_width in design["neighbours"]:
                low, high = distance - half_width, distance + half_width
                row = {"round": design["rounds"], "a": a, "b": b, "distance": distance}
                yield row | {"low": low, "high": high}

        about = "Two neighbouring stimuli of the grid that the study designed."
        return [Table("spacing", about, columns.SPACING, rows)] if design else []

    def _events(self) -> Iterator[Row]:
        for event in self.live.store.events.audit(self.live.record):
            if event.what != MAP:  # These events are long, and the table of fits summarises them.
                row = {"time": when(event.at), "who": event.who, "what": event.what}
                yield row | {"details": _json(event.details)}


def when(seconds: float) -> str:
    """Format seconds since 1970 as a time in UTC, such as 1970-01-01T00:00:00.250Z."""
    moment = datetime.fromtimestamp(seconds, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
