"""A clock that jumps by an hour or a year, and back: nothing is lost, nobody stays shut out."""

import os
import urllib.request
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace

import pyotp
import pytest

from postgres import missing
from resemblance.study import privacy
from resemblance.study.live import open_stored
from resemblance.study.privacy import DAY_S, STEADY_S, Forgetting, is_forgotten
from resemblance.study.worker.fitting import MOST, REST_S, Attempts
from resemblance.web.accounts import FILE, TOTP_S, Accounts
from resemblance.web.simulated_people import Visitor
from study_folder import LIGHT
from web_process import started, until

YEAR_S = 366 * DAY_S
JUMPS = [3600.0, YEAR_S, -3600.0, -YEAR_S]
FAKETIME = sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))
NAME, PASSWORD = "researcher", "a long password"


@pytest.fixture
def begin(make_study, serve):
    """Serve a study whose clock, beside one that never jumps, the test moves."""

    def begin_(**sections):
        served = serve(make_study(**sections))
        now = [served.store.database.clock()]
        served.live.clock = served.store.database.clock = lambda: now[0]
        served.clock = now
        return served

    return begin_


def test_people_of_next_year_keep_nobody_out_once_it_is_today_again(begin):
    served = begin(recruitment={"max_participants": 1})
    served.clock[0] += YEAR_S
    left = served.person()
    left.begin()
    left.answer(left.answer()["questions"][0])
    served.clock[0] -= YEAR_S
    served.person()
    address = "/api/studies/ties/participants"
    assert served.client.post(address, json={"parameters": {}}).status_code == 403


@pytest.mark.parametrize("jump", JUMPS)
def test_a_jump_that_is_undone_forgets_nobody(begin, monkeypatch, jump):
    served = begin(privacy={"forget_ids_after_days": 30}, recruitment={"source": "sona"})
    ticks = SimpleNamespace(monotonic=lambda: ticks.now, now=0.0)
    monkeypatch.setattr(privacy, "time", ticks)
    served.person(parameters={"id": "4711"}).begin()
    forgetting = Forgetting(served.live)

    def forgotten_after(seconds, jump=0.0):
        served.clock[0] += seconds + jump
        ticks.now += seconds
        forgetting.step()
        return [is_forgotten(one) for one in served.store.people.all(served.live.record)]

    for seconds in (0.0, STEADY_S, 3600.0):
        assert forgotten_after(seconds) == [False]
    assert forgotten_after(1.0, jump) == [False]
    assert forgotten_after(STEADY_S / 2, -jump) == [False]
    assert forgotten_after(29 * DAY_S) == [False]
    assert forgotten_after(2 * DAY_S) == [True]


def test_a_jump_that_is_none_is_believed_after_ten_minutes(begin, monkeypatch):
    served = begin(privacy={"forget_ids_after_days": 30}, recruitment={"source": "sona"})
    ticks = SimpleNamespace(monotonic=lambda: 0.0)
    monkeypatch.setattr(privacy, "time", ticks)
    served.person(parameters={"id": "4711"}).begin()
    forgetting = Forgetting(served.live)
    served.clock[0] += YEAR_S
    forgetting.step()
    ticks.monotonic = lambda: STEADY_S
    served.clock[0] += STEADY_S
    forgetting.step()
    assert [is_forgotten(one) for one in served.store.people.all(served.live.record)] == [True]


@pytest.fixture
def accounts(tmp_path):
    now = [1_900_000_000.0]
    made = Accounts(tmp_path / FILE, clock=lambda: now[0])
    made.accept(made.invite(), PASSWORD)
    made.now = now
    return made


def test_one_time_codes_are_taken_after_a_jump_and_each_once(accounts):
    def code():
        return pyotp.TOTP(key).at(int(accounts.now[0]))

    def opens():
        return accounts.opens(PASSWORD, NAME, code()) == NAME

    key = accounts.new_totp()
    assert accounts.confirm_totp(NAME, key, code())
    for step in (*JUMPS, *(-jump for jump in JUMPS), TOTP_S):
        accounts.now[0] += step + 2 * TOTP_S
        assert opens()
        assert not opens()


@pytest.mark.parametrize("jump", JUMPS)
def test_what_was_given_out_holds_after_a_jump_that_is_undone(accounts, jump):
    invited = accounts.invite("ann", {"ties": "reader"})
    session = accounts.session(NAME)
    accounts.now[0] += jump
    accounts.session(NAME)  # somebody logs in: the file is written anew
    assert (accounts.holder(session) == NAME) == (jump < 12 * 3600)
    accounts.now[0] -= jump
    assert accounts.accept(invited, PASSWORD) == "ann"


def test_a_fit_that_waited_next_year_comes(begin):
    served = begin()
    tries = Attempts(served.live)
    served.clock[0] += YEAR_S
    assert [tries.begin(1000) for _ in range(MOST + 1)] == [True] * MOST + [False]
    served.clock[0] -= YEAR_S - REST_S
    assert tries.begin(1000)


class FakedClock:
    """What the clock of processes says, apart from how time goes on: a file that they read."""

    def __init__(self, path):
        if not FAKETIME:
            missing("libfaketime (apt install faketime)")
        self.path = path
        self.jump(0.0)
        self.environment = {
            **os.environ,
            "LD_PRELOAD": str(FAKETIME[-1]),
            "FAKETIME_TIMESTAMP_FILE": str(path),
            "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        }

    def jump(self, seconds):
        part = self.path.with_suffix(".part")
        part.write_text(f"{seconds:+.0f}\n")
        part.replace(self.path)
        self.seconds = seconds


def test_real_processes_go_on_through_jumps_that_are_undone(make_study, tmp_path):
    clock = FakedClock(tmp_path / "clock")
    rules = {"simulated": "enter", "max_participants": 3}
    privacy = {"forget_ids_after_days": 30}
    folder = make_study(study=LIGHT, recruitment=rules, privacy=privacy)
    accounts = Accounts(folder / FILE)
    accounts.accept(accounts.invite(), PASSWORD)
    with ExitStack() as stack:
        run = stack.enter_context(started(folder, env=clock.environment))
        stack.enter_context(started(folder, "worker", env=clock.environment))
        live = stack.enter_context(open_stored(folder))

        def beats():
            pulse = live.store.tallies.pulse(live.record)
            return pulse and abs(pulse.at - live.clock() - clock.seconds) < 30.0

        def visit(name, choose=lambda question: {"chosen": 0}):
            visitor = Visitor(run.url, "ties", name, choose)
            visitor.run()
            assert visitor.code
            acknowledged[visitor.pseudonym] = visitor.acknowledged

        def jump_and_answer(question):
            """Be somebody under whose questions the clock jumps, ahead and back."""
            clock.jump(jumps.pop() if jumps else 0.0)
            return {"chosen": 0}

        acknowledged, jumps = {}, [*JUMPS, 0.0, *JUMPS]
        visit("before", jump_and_answer)
        clock.jump(YEAR_S)
        visit("next year")
        clock.jump(0.0)
        visit("afterwards")
        until(beats)
        request = urllib.request.Request(f"{run.url}/ready")
        with urllib.request.urlopen(request, timeout=10) as reply:
            assert reply.status == 200
        people = live.store.people.all(live.record)
        stored = {p.code: [one.question for one in live.store.answers.of(p)] for p in people}
        assert stored == acknowledged
        assert not any(map(is_forgotten, people))
