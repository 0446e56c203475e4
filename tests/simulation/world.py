"""People, a researcher and a worker of one study, and what each of them was told.

A seed draws a program: a list of steps, each with the process that it reaches and, at times, a
fault. Playing it is deterministic, so a program that breaks a promise can be cut shorter and played
again.
"""

import asyncio
import hashlib
import random
import shutil
import sqlite3
from contextlib import closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from resemblance.errors import ResemblanceError
from resemblance.store import ContentError
from resemblance.store.backup import read_rows
from resemblance.study.backup import back_up, restore
from resemblance.study.entry import enter, held_places, holding, token_hash
from resemblance.study.export import Export
from resemblance.study.failures import Failure
from resemblance.study.participation import Participation, withdraw
from resemblance.study.privacy import DAY_S
from resemblance.study.protocol import Answer, PageResponse
from resemblance.web.accounts import FILE, Accounts
from simulation.browser import Refused, send_answers
from simulation.desk import NAMES, Desk
from simulation.machine import FAULTS, JUMPS, Killed, Machine, Process
from simulation.template import FORGET, QUOTA, emptied
from small_study import People, database_at

PEOPLE, PROCESSES, LENGTH = 6, 2, 40
RARE = 5  # operations that seldom come are disturbed more often
FURTHEST = 120  # points until a fault
JUMPING = 9  # one seed in nine: those that find the defects of docs/promises.md stay as they are
SWARM = 0, 1, 1, 1, 10  # how much more often a program has an operation than others do
END = "finished", "stopped", "withdrawn", "full", "second_entry"  # states after which nothing comes
OPERATIONS = {  # how often each is drawn
    "go_on": 60,
    "send_twice": 8,
    "all_at_once": 6,
    "withdraw": 2,
    "work": 12,
    "pass_time": 5,
    "restart": 5,
    "exclude": 2,
    "erase": 2,
    "pause": 2,
    "read": 1,
    "back_up": 3,
    "put_another_file": 3,
    "log_in": 6,
    "administer": 6,
    "use_desk": 10,
}


@dataclass(frozen=True)
class Step:
    """One step of a program."""

    operation: str
    who: int
    process: int
    draw: float
    lost: bool = False  # whether the reply never arrives
    fault: tuple[str, int] | None = None


def program(seed):
    """Draw the steps of a seed."""
    chance = random.Random(f"program {seed}")
    risk = chance.choice([0.0, 0.1, 0.3])
    often = {name: n * chance.choice(SWARM) for name, n in OPERATIONS.items()}
    often["go_on"] = max(often["go_on"], 20)
    drawn = chance.choices(list(often), list(often.values()), k=LENGTH)
    steps = [
        Step(
            name,
            chance.randrange(PEOPLE),
            chance.randrange(PROCESSES),
            chance.random(),
            chance.random() < 0.1,
            (chance.choice(FAULTS), round(FURTHEST ** chance.random()))
            if chance.random() < risk * (1 if OPERATIONS[name] > RARE else 3)
            else None,
        )
        for name in drawn
    ]
    return jumping(steps, chance) if seed % JUMPING == 5 else steps


def jumping(steps, chance):
    """Let the clock jump, or time go by, within some of the steps."""
    return [
        step
        if step.fault or chance.random() > 0.3
        else replace(step, fault=(chance.choice(list(JUMPS)), round(FURTHEST ** chance.random())))
        for step in steps
    ]


@dataclass
class Visitor:
    """A person at a browser, and what the person was told."""

    number: int
    token: str | None = None
    code: str | None = None  # the pseudonym
    reward: str | None = None
    state: str = ""
    agreed: bool = False  # whether consent was ever sent
    gone: bool = False  # wants to be forgotten, and comes no more
    erased: bool = False  # was told that all is deleted
    codes: set[str] = field(default_factory=set)  # under which the study knew the person
    sent: dict[str, list] = field(default_factory=dict)  # question: responses
    kept: dict[str, object] = field(default_factory=dict)  # question: the response acknowledged
    stood: object = None  # how the store saw the person at the last answer
    held: list = field(default_factory=list)  # questions that the page holds

    @property
    def id(self):
        """The id at the service."""
        return hashlib.sha256(f"id {self.number}".encode()).hexdigest()[:24]

    @property
    def mark(self):
        """What only this person's browser tells."""
        return f"Mark/{hashlib.sha256(f'mark {self.number}'.encode()).hexdigest()[:12]}"

    @property
    def typed(self):
        """What only this person types."""
        return f"typed {hashlib.sha256(f'typed {self.number}'.encode()).hexdigest()[:12]}"

    @property
    def reason(self):
        """What the researcher writes of this person alone."""
        return f"reason {hashlib.sha256(f'reason {self.number}'.encode()).hexdigest()[:12]}"


class World:
    """A study that people, a researcher and a worker use, each through a process that may die."""

    def __init__(self, machine, path, database=None):
        self.machine, self.path = machine, path
        self.database = database  # the address of PostgreSQL; None where the study has a file
        self.processes = [Process(machine, path) for _ in range(PROCESSES)]
        self.visitors = [Visitor(number) for number in range(PEOPLE)]
        self.told = []  # (what the researcher was told is done, pseudonym)
        self.broken = []  # promises found broken on the way
        self.answered = set()  # the answers acknowledged before a backup
        self.by_hand = set()  # whom a researcher excluded, or meant to
        self.desk = Desk(self)

    def play(self, steps):
        """Take the steps; then heal all, and let everybody finish."""
        for step in steps:
            if step.fault:
                self.machine.arm(*step.fault)
            self.safely(step)
            self.machine.armed = None
        self.heal()

    def safely(self, step):
        """Take a step; whatever happens to its process, the world goes on."""
        process = self.processes[step.process]
        try:
            process.open()
            getattr(self, step.operation)(step, process)
        except Killed:
            process.end()
        except (ResemblanceError, OSError):
            pass  # refused, or out of order: the person is told so, and tries again
        except Exception as error:
            self.breaks(f"{step.operation} fails without words: {error!r}")
        if self.machine.dead:
            process.end()
        self.watch()

    def watch(self):
        """Look at what must hold at every moment."""
        if sum(one.live is not None and one.work._lease is not None for one in self.processes) > 1:
            self.breaks("two workers hold the lease of one study")
        for one in self.processes:
            if one.live is not None and one.requests.sent != one.requests.taken:
                sent, taken = one.requests.sent, one.requests.taken
                self.breaks(f"{sent} requests count as {taken}", "quick path")

    def breaks(self, what, name="at every moment"):
        """Tell of a promise that is broken."""
        self.broken.append((name, what))

    # people

    def go_on(self, step, process):
        """Let a person do what the page asks for next."""
        who = self.visitors[step.who]
        if who.gone:
            self.come_late(who, process)
            return
        if who.token is None:
            self.enter(who, step, process)
            return
        self.machine.run(self.next(who, step, process))

    def come_late(self, who, process):
        """Send what a page still had to send, of somebody who has asked to be forgotten."""
        if who.stood is None:
            return
        pages = process.live.folder.pages.values()
        (name,) = (one.name for one in pages if one.kind == "questionnaire")
        for send in (  # each as a request under way, which still sees the person
            lambda late: late.respond(name, PageResponse(values={"name": who.typed})),
            lambda late: self.machine.run(late.answer(self.replies(who, 0.0, 2), 4)),
            lambda late: late.finish(),
        ):
            with suppress(ResemblanceError):
                send(Participation(process.live, who.stood, who.token, remembered=True))

    def enter(self, who, step, process):
        live = process.live
        before = {one.code for one in live.store.people.all(live.record)}
        parameters = {"PROLIFIC_PID": who.id, "SESSION_ID": "s"}
        try:
            token, person = enter(live, parameters, {"timezone": who.mark})
        except Failure as failure:
            who.state = failure.code
            return
        who.codes.add(person.code)
        if person.code not in before:
            self.count_places(live)
        if not step.lost:
            who.token, who.code = token, person.code

    def count_places(self, live):
        held = held_places(live.store.people.counts(live.record, *holding(live)))
        if held > QUOTA:
            self.breaks(f"somebody new is let in, and {held} people hold {QUOTA} places")

    async def person(self, who, process):
        """Find the person."""
        return await Participation.find(process.live, token_hash(who.token), who.token)

    async def next(self, who, step, process):
        try:
            person = await self.person(who, process)
        except Failure as failure:
            if failure.code == "unknown_token":
                who.token, who.held = None, []
            return
        me = person.me()
        who.state, who.held = me["state"], [one["id"] for one in me["questions"]]
        if me["state"] in ("practice", "tasks"):
            await self.answer(who, step, process)
        elif me["state"] == "debrief":
            done = person.finish()
            who.reward = who.reward if step.lost else done["code"]
        elif me["page"] is not None and me["state"] != "finished":
            self.fill(who, person, me["page"], step)

    def fill(self, who, person, page, step):
        if page["kind"] == "consent":
            agree = step.draw > 0.1
            who.agreed |= agree
            person.respond(page["name"], PageResponse(agree=agree))
        else:
            values = {"name": who.typed} if page["fields"] else {}
            person.respond(page["name"], PageResponse(values=values))

    def replies(self, who, draw, most):
        """Answer questions that the page holds: alike, whenever they are sent again."""
        made = []
        for number in who.held[:most]:
            chance = random.Random(f"{number} {who.number}")
            skipped = chance.random() < (0.9 if who.number % 4 == 3 else 0.1)
            response = None if skipped else {"chosen": chance.randrange(2)}
            who.sent.setdefault(number, []).append(response)
            made.append(Answer(question=number, response=response, skipped=skipped, rt_ms=800))
        return made

    async def answer(self, who, step, process, fresh=False):
        answers, own = self.replies(who, step.draw, 1 + int(3 * step.draw)), token_hash(who.token)
        if fresh:
            process.quick.standings.pop(own, None)
        reply = await self.send(who, answers, process)
        who.stood = process.quick.standings.get(own) or process.live.store.people.standing(own)
        if step.draw < 0.5 and process.live.store.database.writer.waiting is None:
            with self.machine.undisturbed():
                again = await self.send(who, answers, process, process.quick.app)
            if again != reply:
                self.breaks(f"says {reply}, the plain path {again}", "quick path")
        if not step.lost:
            self.heard(who, answers, reply)

    async def send(self, who, answers, process, app=None):
        """Send answers as the page does: by the quick path, or past it."""
        process.requests.sent += 1
        reply = await send_answers(process, who.token, answers, 4, app)
        if reply.status == 500:
            self.breaks("an answer is answered 500")
        if reply.status != 200:
            raise Refused(reply.status)
        return reply.json

    def heard(self, who, answers, reply):
        responses = {one.question: one.response for one in answers}
        for number in reply["acknowledged"]:
            who.kept[number] = responses[number]
        who.held = [one["id"] for one in reply["questions"]]

    def send_twice(self, step, process):
        """Send the same answers through two processes at once."""
        who = self.visitors[step.who]
        if who.gone or who.token is None or not who.held:
            return
        others = [one for one in self.processes if one is not process and one.live is not None]
        held = list(who.held)

        async def both():
            for one in [process, *others]:
                who.held = list(held)
                await self.answer(who, step, one, fresh=step.draw > 0.5)

        self.machine.run(both())

    def all_at_once(self, step, process):
        """Let everybody answer in one moment, each twice: one commit takes all."""
        writer = process.live.store.database.writer
        ready = 2 * [one for one in self.visitors if one.held and one.token and not one.gone]

        async def crowd():
            writer.waiting = []
            tasks = [asyncio.ensure_future(self.answer(one, step, process)) for one in ready]
            try:
                while not all(task.done() for task in tasks):
                    for _ in range(6):
                        await asyncio.sleep(0)
                    together, writer.waiting = writer.waiting, []
                    if together:
                        writer._write(together)
            finally:
                writer.waiting = None
            for task in await asyncio.gather(*tasks, return_exceptions=True):
                if isinstance(task, Killed):
                    raise task

        asyncio.run(crowd())

    def withdraw(self, step, process):
        who = self.visitors[step.who]
        if who.token is None or who.gone:
            return
        person = self.machine.run(self.person(who, process))
        keep = step.draw > 0.5
        who.gone = not keep
        withdraw(person, keep)
        who.erased = not keep and not step.lost

    # the worker, time, the machine

    def work(self, step, process):
        """Let a worker look at the log once or twice."""
        for _ in range(3):
            process.work._at = process.work._watched = 0.0
            process.work.step(None)

    def pass_time(self, step, process):
        """Let minutes or days go by; or let the clock jump by a year, or back by an hour."""
        spans = 60.0, 1000.0, 3700.0, DAY_S, 3 * DAY_S, -3700.0, 365 * DAY_S
        self.machine.time += spans[int(len(spans) * step.draw)]

    def restart(self, step, process):
        process.end()

    @contextmanager
    def must_succeed(self, step, what):
        """Without a fault there is no reason to fail."""
        try:
            yield
        except ResemblanceError as error:
            if step.fault is None or isinstance(error, ContentError):
                self.breaks(f"{what} is refused: {error}")
            raise

    def put_another_file(self, step, process):
        """Put a copy of the database in its place, as if the folder was restored over."""
        if self.database:
            return
        file = self.path / "study.sqlite"
        copy = file.with_name("copy of a file")
        with self.machine.undisturbed():
            with closing(sqlite3.connect(file)) as old, closing(sqlite3.connect(copy)) as new:
                old.backup(new)
            for name in (file, Path(f"{file}-wal"), Path(f"{file}-shm")):
                name.unlink(missing_ok=True)
            copy.rename(file)
        for one in 3 * self.visitors[::2]:  # some go on before the server is started again
            if one.token and not one.gone:
                self.safely(replace(step, operation="go_on", who=one.number, fault=None))
        for one in self.processes:
            one.end()

    # the researchers

    def log_in(self, step, process):
        self.at_the_desk("log_in", step, process)

    def administer(self, step, process):
        self.at_the_desk("administer", step, process)

    def use_desk(self, step, process):
        self.at_the_desk("use_desk", step, process)

    def at_the_desk(self, what, step, process):
        """Let a researcher do something, and look whether all is as it was told."""
        try:
            getattr(self.desk, what)(step, process)
        finally:
            with self.machine.undisturbed():
                self.desk.look(process)

    def somebody(self, step, process):
        people = process.live.store.people.all(process.live.record)
        return people[step.who % len(people)] if people else None

    def exclude(self, step, process):
        person = self.somebody(step, process)
        if person is not None:
            out = step.draw > 0.4
            reasons = [who.reason for who in self.visitors if who.code == person.code]
            reason = "; ".join(reasons) or "seen"
            self.by_hand.add(person.code)
            process.live.store.people.exclude(person, out, reason, "researcher")
            what = "participant excluded" if out else "participant included"
            self.told.append((what, person.code))

    def erase(self, step, process):
        person = self.somebody(step, process)
        if person is None:
            return
        for who in self.visitors:
            who.gone |= person.external_id in (who.id, None) and who.code == person.code
        if any(who.gone and who.code == person.code for who in self.visitors):
            self.forget(process, person)

    def forget(self, process, person):
        process.live.store.people.erase(person, "researcher")
        for who in self.visitors:
            if who.code == person.code:  # what was on its way
                self.come_late(who, process)
        self.told.append(("participant erased", person.code))
        for who in self.visitors:
            who.erased |= who.code == person.code

    def pause(self, step, process):
        live, state = process.live, ("paused", "open")[step.draw > 0.5]
        live.record = live.store.studies.set_state(live.record, state, "researcher")
        self.told.append((state, None))

    def read(self, step, process):
        """Read all that a reader may see: nothing is changed by it."""
        live = process.live
        before = list(read_rows(live.store, "sim"))
        for table in Export(live).tables():
            list(table.rows())
        if list(read_rows(live.store, "sim")) != before:
            self.breaks("who reads changes something")

    def back_up(self, step, process):
        """Make a backup, and put it back elsewhere: all is there that was acknowledged.

        Where either was cut short, it goes on the next time.
        """
        place = self.path.parent / "backups"
        file, again = place / "sim.zip", place / "again"
        elsewhere = (
            database_at(f"sqlite:///{again}/study.sqlite") if self.database else nullcontext()
        )
        place.mkdir(exist_ok=True)
        if not file.exists():
            self.answered = {n for who in self.visitors if not who.gone for n in who.kept}
            with self.must_succeed(step, "a backup"):
                back_up(self.path, file)
        with elsewhere:
            if not again.exists():
                with self.must_succeed(step, "a restore"):
                    restore(file, again, lambda folder: Accounts(folder / FILE).begin_anew(NAMES))
            with self.machine.undisturbed():
                there = self.serve_again(again)
        if lost := self.answered - there - self.forgotten():
            self.breaks(f"a backup lacks answers {lost}")
        with self.machine.undisturbed():
            shutil.rmtree(place)

    def serve_again(self, folder):
        """Serve a restored study: it goes on, and opens to nothing that was given out before.

        Give the answers that it has.
        """
        process = Process(self.machine, folder)
        live, accounts = process.open(), process.shared.accounts
        log = live.store.answers.after(live.record, limit=10_000)
        for who in self.visitors:
            if who.token and live.store.people.standing(token_hash(who.token)):
                self.breaks("a token of before opens a restored study", "accounts")
        for given in (given for who in self.desk.people for given in who.given):
            if accounts.holder(given.secret) or accounts.invites(given.secret):
                self.breaks(f"a {given.kind} of before opens a restored study", "accounts")
        People(live, 1, source="open").answer(2)
        if live.store.answers.count(live.record) != len(log) + 2:
            self.breaks("a restored study does not go on")
        process.end()
        return {one.question for one in log}

    def forgotten(self):
        """Give the answers of those who asked for them to be deleted."""
        return {number for who in self.visitors if who.gone for number in who.kept}

    # the end

    def heal(self):
        """Nothing goes wrong any more: everybody finishes, and the worker does what is left."""
        for process in self.processes:
            process.end()
        first, *_ = self.processes
        live = first.open()
        live.store.studies.set_state(live.record, "open", "researcher")
        live.reread()
        for who in self.visitors:
            calm = Step("go_on", who.number, 0, 0.9)
            for _ in range(16):
                self.safely(calm)
                if who.gone or who.state in END:
                    break
        self.finish_erasing(first)
        self.machine.time += 4000.0
        self.work(Step("work", 0, 0, 0.0), first)

    def finish_erasing(self, process):
        """Whoever wanted to be forgotten, and still is known, asks again."""
        for who in self.visitors:
            person = who.code and process.live.store.people.named(process.live.record, who.code)
            if who.gone and not who.erased and person:
                if person.external_id or person.browser or rows_about(process.live, person):
                    self.forget(process, person)
                who.erased = True


def rows_about(live, person):
    """Count what is stored of somebody: answers, questions, pages."""
    asked = [one for one in live.store.questions.all(live.record) if one.participant == person.id]
    pages = live.store.people.responses(live.record, person)
    return len(asked) + len(pages) + len(live.store.answers.of(person))


def play(seed, template, folder, steps=None, database=None):
    """Play the program of a seed, or some of its steps; give the world at its end."""
    path = Path(folder) / "sim"
    shutil.copytree(template, path, symlinks=True)
    if seed % 2:  # half of the studies keep ids
        toml = (path / "study.toml").read_text()
        (path / "study.toml").write_text(toml.replace(FORGET, ""))
    if database:
        emptied(database)
    with Machine(seed).running() as machine:
        world = World(machine, path, database)
        world.play(program(seed) if steps is None else steps)
        yield world
        for process in world.processes:
            process.end()
