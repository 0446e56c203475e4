"""Accounts: passwords, sessions, one-time codes, and who may do what at the desk."""

import logging
import re

import pyotp
import pytest

from resemblance.errors import FileError, SettingError
from resemblance.web.accounts import FILE, Accounts

PASSWORD, OTHER = "a long password", "another long password"


@pytest.fixture
def now():
    return [1_000_000.0]


@pytest.fixture
def accounts(tmp_path, now):
    made = Accounts(tmp_path / FILE, clock=lambda: now[0])
    made.accept(made.invite(), PASSWORD)
    return made


class TestFile:
    def test_it_opens_no_door(self, tmp_path):
        accounts = Accounts(tmp_path / FILE)
        once = accounts.invite()
        assert once not in (tmp_path / FILE).read_text()
        accounts.accept(once, PASSWORD)
        assert PASSWORD not in (tmp_path / FILE).read_text()
        assert "argon2id" in (tmp_path / FILE).read_text()
        assert (tmp_path / FILE).stat().st_mode & 0o077 == 0
        session = accounts.session("researcher")
        assert session not in (tmp_path / FILE).read_text()

    def test_a_broken_one_is_named(self, accounts):
        for text in ("", "{}", "[]", '{"key": 3}', "x"):
            accounts.path.write_text(text)
            with pytest.raises(FileError, match=FILE):
                accounts.opens(PASSWORD)


class TestSessions:
    def test_forged_ones_open_nothing(self, accounts):
        session, own = accounts.session("researcher"), "9999999999.abc.1.researcher.def"
        assert not accounts.invites(session)
        assert accounts.holder(accounts.remember("researcher")) is None
        assert accounts.holder(accounts.invite("researcher")) is None
        for forged in ("", "x", own, "..", "....", "9" * 5000, "é.é.é"):
            assert accounts.holder(forged) is None
            assert not accounts.holds(forged, "rehearsal")


class TestInvitations:
    def test_what_is_no_name_is_refused(self, accounts):
        for name in ("", " ann", "a" * 61, "a\nb"):
            with pytest.raises(SettingError):
                accounts.invite(name)


class TestCodes:
    @pytest.fixture
    def key(self, accounts, now):
        key = accounts.new_totp()
        assert accounts.confirm_totp("researcher", key, pyotp.TOTP(key).at(now[0] - 60)) is False
        assert accounts.confirm_totp("researcher", key, pyotp.TOTP(key).at(now[0]))
        now[0] += 300
        return key

    def test_a_password_alone_opens_nothing(self, accounts, key, now):
        assert accounts.opens(PASSWORD) is None
        assert accounts.opens(PASSWORD, code="000000") is None
        assert accounts.opens(PASSWORD, code=pyotp.TOTP(key).at(now[0])) == "researcher"

    def test_a_code_is_taken_once_and_in_time(self, accounts, key, now):
        code = pyotp.TOTP(key).at(now[0])
        assert accounts.opens(PASSWORD, code=code)
        assert accounts.opens(PASSWORD, code=code) is None
        now[0] += 300
        assert accounts.opens(PASSWORD, code=pyotp.TOTP(key).at(now[0] - 120)) is None
        assert accounts.opens(PASSWORD, code=pyotp.TOTP(key).at(now[0] - 30))

    def test_a_new_password_by_invitation_asks_for_none(self, accounts, key):
        accounts.accept(accounts.invite("researcher"), OTHER)
        assert accounts.opens(OTHER) == "researcher"


@pytest.fixture
def log_in(served):
    """Log somebody in at the desk; give a function that posts forms."""

    def log_in_(name, once=None, password=PASSWORD):
        served.client.http.cookies.clear()
        form = {"password": password} | ({"secret": once} if once else {"name": name})
        assert served.client.post("/desk/login", data=form).status_code == 303
        return served.client.send_form

    served.shared.logins.burst = 100.0
    return log_in_


@pytest.fixture
def team(served, log_in):
    """A researcher and a reader of the study."""
    log_in("researcher", served.shared.accounts.invite())
    once = served.shared.accounts.invite("ann", {"ties": "reader"})
    served.shared.accounts.accept(once, OTHER)
    return served


class TestDesk:
    def test_a_reader_looks_and_changes_nothing(self, team, log_in):
        post = log_in("ann", password=OTHER)
        code = team.person().code
        for tab in ("", "/people", "/map", "/questions", "/settings"):
            page = team.client.get(f"/desk/ties{tab}")
            assert page.status_code == 200
            assert page.text.count('<form method="post"') == 1  # log out
            assert "<textarea" not in page.text  # study.toml holds secrets
        assert team.client.get("/desk/ties/export.csv").status_code == 200
        # The study says too little of itself, to a reader as to an owner.
        assert team.client.get("/desk/ties/export.archive").status_code == 422
        for path in ("state", "settings", "try", f"participants/{code}/exclude"):
            assert post(f"/desk/ties/{path}", state="closed").status_code == 403
        assert team.live.state == "open"
        assert team.client.get("/desk/-/accounts").status_code == 403
        assert post("/desk/-/accounts/invite", name="eve").status_code == 403
        assert "eve" not in team.shared.accounts.all

    def test_who_may_not_see_a_study_does_not_learn_of_it(self, team, log_in):
        team.shared.accounts.accept(team.shared.accounts.invite("bob"), OTHER)
        log_in("bob", password=OTHER)
        assert "ties" not in team.client.get("/desk").text
        for path in ("", "/people", "/export.csv", "/model.npz", "/export.archive"):
            assert team.client.get(f"/desk/ties{path}").status_code == 404

    def test_an_invitation_by_the_desk(self, team, log_in):
        post = log_in("researcher")
        sure = {"name": "bob", "old": PASSWORD}
        shown = post("/desk/-/accounts/invite", **sure, **{"role ties": "owner"})
        once = re.search(r"One-time secret: <code>([^<]+)", shown.text)[1]
        assert post("/desk/-/accounts/invite", **sure).status_code == 422
        again = post("/desk/-/accounts/invite", again="bob", old=PASSWORD)
        assert team.shared.accounts.accept(once, OTHER) is None
        once = re.search(r"One-time secret: <code>([^<]+)", again.text)[1]
        team.client.http.cookies.clear()
        assert "One-time secret" in team.client.get("/desk/-/invitation").text
        post = log_in("bob", once)
        assert post("/desk/ties/state", state="paused").status_code == 303
        assert team.live.state == "paused"
        team.client.http.cookies.clear()
        again = team.client.post("/desk/login", data={"secret": once, "password": OTHER})
        assert again.status_code == 403

    def test_roles_are_changed_and_accounts_removed(self, team, log_in):
        post = log_in("researcher")
        assert post("/desk/-/accounts/allow", name="ann", of="ties", role="").status_code == 303
        assert team.shared.accounts.role("ann", "ties") is None
        assert post("/desk/-/accounts/allow", name="ann", of="nothing").status_code == 422
        assert post("/desk/-/accounts/remove", name="ann").status_code == 303
        assert post("/desk/-/accounts/remove", name="researcher").status_code == 422
        assert list(team.shared.accounts.all) == ["researcher"]

    def test_own_password_and_codes(self, team, log_in):
        post = log_in("ann", password=OTHER)
        assert post("/desk/-/account/password", old="wrong", password=PASSWORD).status_code == 403
        shown = post("/desk/-/account/codes", old=OTHER)
        assert "<svg" in shown.text
        key = re.search(r'name="key" value="(\w+)"', shown.text)[1]
        ticket = re.search(r'name="ticket" value="([^"]+)"', shown.text)[1]
        made = {"key": key, "ticket": ticket}
        for odd in ({"code": "1"}, {"code": "é"}, {"key": "!", "code": "1"}):
            assert post("/desk/-/account/codes/confirm", **made | odd).status_code == 403
        code = pyotp.TOTP(key).now()
        assert post("/desk/-/account/codes/confirm", **made, code=code).status_code == 303
        assert team.shared.accounts.all["ann"].totp == key
        assert post("/desk/-/account/codes", end="yes", old=OTHER, code="1").status_code == 403
        assert team.shared.accounts.all["ann"].totp == key

    def test_the_trail_says_who_logged_in_and_took_answers_away(self, team, log_in, caplog):
        log_in("ann", password=OTHER)
        team.client.get("/desk/ties/export.csv")
        team.client.http.cookies.clear()
        with caplog.at_level(logging.WARNING, "resemblance.web"):
            team.client.post("/desk/login", data={"name": "ann", "password": "guessed"})
        events = team.store.events.trail(team.live.record, 20)
        told = [(one.who, one.what) for one in events]
        for line in (("ann", "logged in"), ("ann", "exported"), ("ann", "log-in refused")):
            assert line in told
        assert "10.0.0.1" in caplog.text
        assert "guessed" not in caplog.text
