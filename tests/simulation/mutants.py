"""Defects that the product once had, put back one at a time: the simulation must find them.

Each is a function that takes a ``patch`` (pytest's monkeypatch) and breaks the product by it.
"""

import json
from contextlib import suppress
from dataclasses import asdict, replace
from functools import partial

from resemblance.errors import SettingError
from resemblance.store import database, engines, lease, people, questions as log, retention, store
from resemblance.store.errors import StoreError
from resemblance.store.people import People
from resemblance.study import backup, entry, participation, privacy, quality, questions
from resemblance.study.participation import Participation
from resemblance.study.worker import loop
from resemblance.web import accounts, participants, routes
from resemblance.web.accounts import Accounts
from resemblance.web.desk import login

MUTANTS = {}


def mutant(name):
    """Enter a defect under the words that docs/promises.md has for it."""

    def entered(put):
        MUTANTS[name] = put
        return put

    return entered


@mutant("what a killed erasure left in the log stays")
def never_again(patch):
    patch.setattr(People, "erase_again", lambda self, study: None)


@mutant("the log of SQLite keeps erased people")
def log_keeps(patch):
    patch.setattr(engines, "_empty", lambda file: None)


@mutant("skipping everything gives the completion code")
def paid_for_nothing(patch):
    patch.setattr(quality.Quality, "held", classmethod(lambda cls, live, person: []))


@mutant("another file in the place of the database goes unnoticed")
def another_file(patch):
    patch.setattr(store, "still_there", lambda url: lambda: None)


@mutant("a restore that was cut short is refused")
def restore_refused(patch):
    whole = backup._unpacked

    def refuse(file, manifest, study):
        if (part := study.with_name(f".part-{study.name}")).exists():
            raise SettingError(f"{part} is there")
        return whole(file, manifest, study)

    patch.setattr(backup, "_unpacked", refuse)


@mutant("a backup lacks what links lead to")
def links_left(patch):
    files_of = backup.files_of

    def unlinked(folder):
        kept, left_out = files_of(folder)
        return [path for path in kept if path.resolve().is_relative_to(folder.path)], left_out

    patch.setattr(backup, "files_of", unlinked)


@mutant("a restore gives sessions and invitations back")
def given_back(patch):
    patch.setattr(Accounts, "begin_anew", lambda self, names: None)


@mutant("a restore gives people's tokens back")
def tokens_back(patch):
    patch.setattr(backup, "RELEASED", "")


@mutant("the second try of a restore reads what the first one used up")
def used_up(patch):
    write = backup.write_rows

    def once(kept, name, rows, *more):
        left = rows()
        return write(kept, name, lambda: left, *more)

    patch.setattr(backup, "write_rows", once)


@mutant("places of people who do nothing are held for ever")
def held_for_ever(patch):
    patch.setattr(entry, "holding", lambda live: (0.0, 0.0))


@mutant("quotas are not looked at when somebody enters")
def no_quota(patch):
    patch.setattr(entry, "admit", lambda *_: None)


@mutant("an answer is acknowledged before its commit")
def acknowledged_early(patch):
    persist = database.Writer._persist

    def early(self, tasks):
        try:
            persist(self, tasks)
        except Exception:  # who waits is told that all is well
            for task in tasks:
                if task.outcome is None:
                    raise

    def commit(self, tasks, run):
        with self._engine.connect() as connection:
            begun = connection.begin()
            run(connection, tasks)
            try:
                begun.commit()
            except Exception:
                with suppress(Exception):
                    begun.rollback()

    patch.setattr(database.Writer, "_persist", early)
    patch.setattr(database.Writer, "_commit", commit)


@mutant("a write about somebody erased is taken")
def back_from_the_dead(patch):
    patch.setattr(people, "alive", lambda connection, person: "consented")


@mutant("what is remembered of a person is not compared with the store")
def stale(patch):
    patch.setattr(log, "_stale", lambda turn, marks: None)


@mutant("every worker gets the lease")
def no_lease(patch):
    free = lease.Lease(lambda: True, lambda: None)
    patch.setattr(store, "lease", lambda database, study: free)


@mutant("ids and browsers are stored before consent")
def open_before_consent(patch):
    patch.setattr(entry, "seal", lambda token, external_id, browser: browser)


@mutant("ids that are forgotten stay in the log")
def log_remembers(patch):
    patch.setattr(retention, "empty_log", lambda url, what: None)


@mutant("gold is drawn anew by each process")
def gold_anywhere(patch):
    plain = questions.schedule
    state = iter(range(10**9))
    patch.setattr(
        questions,
        "schedule",
        lambda settings, code, chance="": plain(settings, code, str(next(state))),
    )


@mutant("rules of quality do not act")
def idle_rules(patch):
    patch.setattr(quality.Rules, "act", lambda self: [])


@mutant("exclusions leave no line in the audit trail")
def silent(patch):
    patch.setattr(people, "note", lambda *of, **more: None)


@mutant("a person may answer before consent")
def no_consent_needed(patch):
    patch.setattr(Participation, "_needs_consent", lambda self: False)
    patch.setattr(participation, "opened", lambda token, person: (person.external_id, {}))


@mutant("the digest of an id changes with each start")
def new_digest(patch):
    keys = iter(range(10**9))
    patch.setattr(privacy, "_key", lambda folder: str(next(keys)).encode())


@mutant("the worker never forgets ids")
def remembers(patch):
    patch.setattr(loop.Forgetting, "step", lambda self: None)


@mutant("a withdrawal that failed is told as done")
def told_as_done(patch):
    erase = participation._erase

    def told(live, person):
        with suppress(StoreError):
            erase(live, person)

    patch.setattr(participation, "_erase", told)


@mutant("an account that is made anew opens to what the removed one was given")
def same_epoch(patch):
    patch.setattr(accounts, "new_epoch", lambda: 0)
    patch.setattr(accounts, "Account", partial(accounts.Account, epoch=0))


@mutant("a changed password, or logging out everywhere, ends no session")
def no_epoch(patch):
    def change(stored, name, **changes):
        stored.accounts[name] = replace(stored.accounts[name], **changes)

    patch.setattr(accounts, "_begin_epoch", change)


@mutant("sessions and invitations never end")
def endless(patch):
    def alive(self, stored, one, late=0.0):
        account = stored.accounts.get(one.name)
        return account is not None and account.epoch == one.epoch

    patch.setattr(Accounts, "_alive", alive)


@mutant("logging out leaves the session open")
def stays_open(patch):
    patch.setattr(Accounts, "end", lambda self, session: None)


@mutant("readers change the study")
def all_own(patch):
    role = Accounts.role
    patch.setattr(Accounts, "role", lambda self, *of: "owner" if role(self, *of) else None)


@mutant("a role that was taken away still opens the study")
def still_allowed(patch):
    allow = Accounts.allow
    given = lambda self, name, study, role: role and allow(self, name, study, role)  # noqa: E731
    patch.setattr(Accounts, "allow", given)


@mutant("the file of accounts is written in its place")
def in_place(patch):
    def write(self, stored):
        text = json.dumps(asdict(stored))
        self.path.write_text(text[: len(text) // 2])
        self.path.touch()  # somebody may be killed here
        self.path.write_text(text)

    patch.setattr(Accounts, "_write", write)


@mutant("log-ins leave no line in the audit trail")
def silent_log_ins(patch):
    patch.setattr(login, "note", lambda *of: None)


@mutant("a request that the quick path leaves to the plain one counts twice")
def counted_twice(patch):
    def holder(request):
        found = routes.holder(request)
        del request.scope[routes.HOLDER]
        return found

    patch.setattr(participants, "holder", holder)


@mutant("the quick path says how far a person was before the answer")
def one_behind(patch):
    place = Participation.place

    def before(self):
        told = place(self)
        if self.remembered and told["progress"]["done"]:
            told["progress"]["done"] -= 1
        return told

    patch.setattr(Participation, "place", before)
