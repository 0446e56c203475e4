"""Researchers at the desk: accounts, what was given out to them, and what each was told."""

from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field

from resemblance.store.backup import read_rows
from resemblance.web.accounts import INVITED_S, ROLES, SESSION_S
from resemblance.web.desk.login import COOKIE
from simulation.browser import Refused, send_form

NAMES, PASSWORD = ("ada", "ben", "cem"), "a long password"
UNSURE = object()  # what a change under way, that nobody was told of, may have left
DAY_S = 86_400.0


@dataclass
class Given:
    """A session or an invitation: until when it holds, and whether that is known."""

    kind: str
    secret: str
    ends: float
    state: object = "holds"  # or void, or UNSURE


@dataclass
class Researcher:
    """Somebody with an account, and what this person was told of it."""

    name: str
    password: object = None
    role: object = None
    given: list = field(default_factory=list)
    earlier: set = field(default_factory=set)  # passwords that open nothing any more
    cookies: dict = field(default_factory=dict)

    @property
    def session(self):
        """The session of the browser, as it was given."""
        wanted = self.cookies.get(COOKIE)
        return next((one for one in self.given if one.secret == wanted), None)


class Desk:
    """The researchers of a world.

    Parameters
    ----------
    world : World
        Whose study they look after.
    """

    def __init__(self, world):
        self.world, self.drawn = world, 0
        ada, *others = [Researcher(name) for name in NAMES]
        ada.password, ada.role = PASSWORD, "owner"
        self.people, self.logged_in = [ada, *others], Counter()

    def breaks(self, what):
        """Tell what is not as it was told."""
        self.world.broken.append(("accounts", what))

    @contextmanager
    def new_epoch(self, who, **told):
        """Let an account begin anew: what was given out to it is void once that was told."""
        before = [one for one in who.given if one.state != "void"]
        known = {name: getattr(who, name) for name in told}
        for one in before:
            one.state = UNSURE
        vars(who).update(dict.fromkeys(told, UNSURE))
        yield
        for one in before:
            one.state = "void"
        if "password" in told and isinstance(known["password"], str):
            who.earlier.add(known["password"])
        vars(who).update(told)

    def administer(self, step, process):
        """Invite somebody, say what somebody may do, or remove an account."""
        who, accounts = self.people[step.who % 3], process.shared.accounts
        role = ROLES[int(40 * step.draw) % 2]
        match int(4 * step.draw):
            case 0 | 1:
                self.invite(who, role if who.name != "ada" else "owner", accounts)
            case 2 if who.name != "ada" and who.name in accounts.all:
                given = role if step.draw > 0.625 else None
                who.role = UNSURE
                accounts.allow(who.name, "sim", given)
                who.role = given
            case 3 if who.name != "ada":
                with self.new_epoch(who, password=None, role=None):
                    accounts.remove(who.name)

    def invite(self, who, role, accounts):
        """Invite somebody: earlier invitations are void."""
        before = [one for one in who.given if one.kind == "invitation" and one.state != "void"]
        for one in before:
            one.state = UNSURE
        who.role = UNSURE
        secret = accounts.invite(who.name, {"sim": role})
        for one in before:
            one.state = "void"
        who.role = role
        ends = self.world.machine.time + INVITED_S
        who.given.append(Given("invitation", secret, ends))

    def log_in(self, step, process):
        """Log in: by an invitation where there is one, by the password, or by an earlier one."""
        who = self.people[step.who % 3]
        invited = [one for one in who.given if one.kind == "invitation" and self.holds(one)]
        if invited:
            secret, new = invited[-1].secret, self.new_password()
            with self.new_epoch(who, password=new):
                reply = self.post(who, process, "/desk/login", secret=secret, password=new)
                self.enter(who, reply, f"an invitation of {who.name}")
            self.logged_in[who.name] += who.role in ROLES
        elif who.earlier and step.draw < 0.3:
            old = min(who.earlier)
            reply = self.post(who, process, "/desk/login", name=who.name, password=old)
            if reply.status == 303:
                self.breaks(f"an earlier password of {who.name} opens")
        elif isinstance(who.password, str):
            form = {"name": who.name, "password": who.password}
            reply = self.post(who, process, "/desk/login", **form)
            self.enter(who, reply, f"the password of {who.name}")
            self.logged_in[who.name] += who.role in ROLES
        elif who.role is None:
            self.invite(who, ROLES[step.draw > 0.5], process.shared.accounts)

    def new_password(self):
        """Think of another password."""
        self.drawn += 1
        return f"{PASSWORD} {self.drawn}"

    def enter(self, who, reply, by):
        """Keep the cookies of a log-in, which must succeed but for its being one of many."""
        if reply.status == 403:
            self.breaks(f"{by} opens nothing")
        if reply.status != 303:
            raise Refused(reply.status)
        who.cookies |= reply.cookies()
        ends = self.world.machine.time + SESSION_S
        who.given.append(Given("session", who.cookies[COOKIE], ends))

    def use_desk(self, step, process):
        """Change one's account, or the study."""
        who = self.people[step.who % 3]
        if who.session is None or who.session.ends <= self.world.machine.time:
            self.log_in(step, process)
        if who.session is None:
            return
        match int(6 * step.draw):
            case 0 if isinstance(who.password, str):
                new, old = self.new_password(), who.password
                with self.new_epoch(who, password=new):
                    form = {"old": old, "password": new}
                    reply = self.post(who, process, "/desk/-/account/password", **form)
                    self.enter(who, reply, f"the password of {who.name}")
            case 1:
                with self.new_epoch(who):
                    self.post(who, process, "/desk/-/account/everywhere", expected=303)
            case 2:
                session = who.session
                session.state = UNSURE
                self.post(who, process, "/desk/logout", expected=303)
                session.state = "void"
            case 3 | 4:
                state = ("paused", "open")[int(12 * step.draw) % 2]
                self.change(who, process, "state", state, None, state=state)
            case _ if person := self.world.somebody(step, process):
                what = "participant excluded"
                self.world.by_hand.add(person.code)
                path = f"participants/{person.code}/exclude"
                self.change(who, process, path, what, person.code, excluded="yes", reason="seen")

    def change(self, who, process, path, what, code, **form):
        """Change the study, as far as one's role goes: who may not changes nothing."""
        role, before = who.role, None
        if role in ("reader", None):
            before = list(read_rows(process.live.store, "sim"))
        reply = self.post(who, process, f"/desk/sim/{path}", **form)
        if before is not None and list(read_rows(process.live.store, "sim")) != before:
            self.breaks(f"{who.name}, a {role}, changes the study")
        if role == "owner" and reply.status in (403, 404):
            self.breaks(f"{who.name}, an owner, is refused: {reply.status}")
        if reply.status == 303:
            self.world.told.append((what, code))

    def post(self, who, process, path, expected=None, **form):
        """Send a form from the browser of somebody: only a session that holds is heard."""
        session = who.session
        reply = send_form(process, path, who.cookies, **form)
        if reply.status == 500:
            self.breaks(f"{path} answers 500")
        if path != "/desk/login" and session.state is not UNSURE:
            if reply.status == 401 and self.holds(session):
                self.breaks(f"a session of {who.name} is refused")
            if reply.status < 400 and not self.holds(session):
                self.breaks(f"a session of {who.name} that has ended is heard")
        if expected not in (None, reply.status) or reply.status == 503:
            raise Refused(reply.status)
        return reply

    def holds(self, one):
        """Say whether it was told to hold, and its time is not over."""
        return one.state == "holds" and one.ends > self.world.machine.time

    def look(self, process):
        """Compare what opens with what was told."""
        accounts = process.shared.accounts
        opens = {
            "session": accounts.holder,
            "invitation": lambda one: accounts.invites(one) or None,
        }
        for who in self.people:
            for one in who.given:
                opened, over = opens[one.kind](one.secret), one.ends <= self.world.machine.time
                if opened and (one.state == "void" or over):
                    self.breaks(f"a {one.kind} of {who.name} that has ended opens")
                if not opened and one.state == "holds" and not over:
                    self.breaks(f"a {one.kind} of {who.name} opens nothing")
                if over and one.state == "holds":
                    one.state = UNSURE  # where the clock is set back
            who.given = [one for one in who.given if one.ends > self.world.machine.time - 2 * DAY_S]
