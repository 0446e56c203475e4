"""Promises, each with its check; docs/promises.md says them in words.

A checker reads the history of a world, and what its study's folder holds at the end; it yields what
it finds broken.
"""

from collections import Counter
from pathlib import Path

import psycopg

from resemblance.store import schema
from resemblance.study.entry import HOLD_MINUTES
from resemblance.study.kinds import KINDS
from resemblance.study.privacy import ids_of
from resemblance.study.questions import schedule
from resemblance.web.desk.login import LOGGED_IN
from simulation.template import QUOTA
from simulation.world import Step, Visitor, rows_about

PROMISES = {}


def promise(name):
    """Enter a checker under the name that docs/promises.md gives it."""

    def entered(check):
        PROMISES[name] = check
        return check

    return entered


def broken(world):
    """Give all promises that a world broke, with what was seen."""
    live = world.processes[0].open()
    seen = list(world.broken)
    for name, check in PROMISES.items():
        seen += [(name, what) for what in check(world, live)]
    return seen


def files(world):
    """Read all files of the study's folder, and the rows where they are in PostgreSQL."""
    found = {path: path.read_bytes() for path in world.path.rglob("*") if path.is_file()}
    if world.database:
        with psycopg.connect(world.database) as connection:
            for table in schema.metadata.tables:
                rows = connection.execute(f"SELECT t::text FROM {table} t").fetchall()
                found[Path(table)] = repr(rows).encode()
    return found


@promise("acknowledged answers")
def acknowledged_answers(world, live):
    """What was acknowledged is there once and unchanged; nothing else is there."""
    rows = live.store.answers.after(live.record, limit=100_000)
    there = {one.question: one for one in rows}
    if len(there) < len(rows):
        yield "an answer is there twice"
    for who in world.visitors:
        if who.erased or who.gone:
            continue
        for number, response in who.kept.items():
            if number not in there:
                yield f"the answer to {number} is lost"
            elif there[number].response != response:
                yield f"the answer to {number} was changed"
    sent = {number: who.sent[number] for who in world.visitors for number in who.sent}
    for number, one in there.items():
        if one.response not in sent.get(number, []):
            yield f"nobody sent the answer to {number}"


@promise("one person, one set")
def one_set(world, live):
    """No person has two sets of answers."""
    stored = Counter(one.external_id for one in live.store.people.all(live.record))
    for who in world.visitors:
        if (
            len(who.codes) > 1
            or sum(stored[one] for one in ids_of(world.path, "prolific", who.id)) > 1
        ):
            yield f"person {who.number} is there as {sorted(who.codes)}"


@promise("erased people stay erased")
def erased(world, live):
    """Nobody erased is found in any byte of the study's folder, or has a row."""
    held = files(world)
    for who in world.visitors:
        if not who.erased:
            continue
        person = who.code and live.store.people.named(live.record, who.code)
        if person and (rows := rows_about(live, person)):
            yield f"{rows} rows are about {who.code}, who was erased"
        for trace in (who.id, who.mark, who.typed, who.reason):
            for path, content in held.items():
                if trace.encode() in content:
                    yield f"{trace} of an erased person stands in {path.name}"


@promise("quotas")
def quotas(world, live):
    """Quotas are never exceeded (see the world), nor left unfilled for ever."""
    world.machine.time += 60.0 * HOLD_MINUTES + 3600.0
    people = live.store.people.all(live.record)
    finished = sum(one.state == "finished" for one in people)
    late = Visitor(1000)
    world.enter(late, Step("go_on", 1000, 0, 0.9), world.processes[0])
    if finished < QUOTA and late.token is None:
        yield f"only {finished} have finished, and a new person is refused: {late.state}"
    if finished >= QUOTA and late.token is not None:
        yield f"{finished} have finished, and one more is let in"


@promise("consent")
def consent(world, live):
    """Who did not consent left nothing that can be read."""
    held = files(world)
    asked = {one.participant for one in live.store.answers.after(live.record, limit=100_000)}
    for who in world.visitors:
        if who.agreed:
            continue
        for trace in (who.id, who.mark, who.typed):
            for path, content in held.items():
                if trace.encode() in content:
                    yield f"{trace} of somebody who did not agree stands in {path.name}"
        person = who.code and live.store.people.named(live.record, who.code)
        if person and person.id in asked:
            yield f"{who.code} did not agree, and has answers"


@promise("gold")
def gold(world, live):
    """Gold stands where the study's secret says."""
    people = {one.id: one for one in live.store.people.all(live.record)}
    for one in live.store.questions.all(live.record):
        plan = schedule(live.settings, people[one.participant].code, live.chance)
        planned = plan[one.place] if one.place < len(plan) else "main"  # in place of one given up
        if one.purpose != planned:
            yield f"question {one.place} of {people[one.participant].code} is {one.purpose}"
        if (one.purpose == "gold") != (one.spec["gold"] is not None):
            yield f"question {one.place} is {one.purpose}, its right answer {one.spec['gold']}"


@promise("pay")
def pay(world, live):
    """Each person who got the completion code answered."""
    for who in world.visitors:
        person = who.code and live.store.people.named(live.record, who.code)
        if not person or not who.reward or who.gone:
            continue
        mine = [one for one in live.store.answers.of(person) if one.purpose != "practice"]
        real = sum(not one.skipped for one in mine)
        if real < live.settings.quality.least_answered * live.settings.tasks.task_size:
            yield f"{who.code} has the code for {real} answers"


@promise("audit trail")
def audit(world, live):
    """The audit trail tells every change that a researcher was told is done."""
    trail = Counter(
        (one.what, one.details.get("participant")) for one in live.store.events.audit(live.record)
    )
    for what, code in Counter(world.told):
        if not trail[what, code] and not trail[f"study {what}", code]:
            yield f"no line tells that {code or 'the study'} is {what}"

    people = Counter((one.who, one.what) for one in live.store.events.audit(live.record))
    for name, n in world.desk.logged_in.items():
        if people[name, LOGGED_IN] < n:
            yield f"{name} was logged in {n} times, of which {people[name, LOGGED_IN]} are told"


@promise("rules of quality")
def rules(world, live):
    """A rule excludes exactly those to whom it applied."""
    out = live.store.people.excluded(live.record)
    for person in live.store.people.all(live.record):
        answers = [one for one in live.store.answers.of(person) if one.purpose == "gold"]
        right = sum(bool(KINDS[one.kind].right(one.spec, one.response)) for one in answers)
        wrong = bool(answers) and right / len(answers) < 0.5
        if (
            person.code not in world.by_hand
            and (person.id in out) != wrong
            and person.state != "stopped"
        ):
            yield f"{person.code} answered {right} of {len(answers)} gold questions right"


@promise("forgetting")
def forgetting(world, live):
    """Ids and browsers are forgotten in time, in every file of the study's folder."""
    if live.settings.privacy.forget_ids_after_days is None:
        return
    world.machine.time += 40 * 86_400.0
    world.work(Step("work", 0, 0, 0.0), world.processes[0])
    world.machine.time += 7200.0
    world.work(Step("work", 0, 0, 0.0), world.processes[0])
    for path, content in files(world).items():
        for who in world.visitors:
            for trace in (who.id, who.mark):
                if trace.encode() in content:
                    yield f"{trace} is still in {path.name}, of state {who.state}"
