"""Nobody locks a researcher out, and nothing that was given out outlives what it was given for."""

import re
from itertools import permutations

import httpx
import pyotp
import pytest

from resemblance.errors import SettingError
from resemblance.web import accounts
from resemblance.web.desk import login
from web.conftest import Client

PASSWORD, OTHER = "a long password", "another long password"
HOME, STRANGER, CAFE = "192.0.2.7", "198.51.100.9", "203.0.113.4"


class Server:
    """A study with a researcher, under a clock that goes on as the test says."""

    def __init__(self, served, monkeypatch):
        self.served, self.accounts = served, served.shared.accounts
        self.now, self.pauses = 0.0, []
        for limit in (served.shared.logins, served.shared.guesses, served.shared.tries):
            limit.clock = lambda: self.now
        monkeypatch.setattr(login, "sleep", self.sleep)
        self.accounts.accept(self.accounts.invite(), PASSWORD)

    async def sleep(self, seconds):
        self.pauses.append(seconds)

    def browser(self, address):
        client = Client(self.served.app, self.served.client.runner)
        transport = httpx.ASGITransport(self.served.app, client=(address, 9))
        client.http = httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000")
        return client

    def log_in(self, browser, **form):
        form = {"name": "researcher", "password": PASSWORD} | form
        return browser.post("/desk/login", data=form).status_code

    def post(self, browser, path, **form):
        return browser.send_form(f"/desk/-/{path}", **form)

    def guess(self, browser, minutes, every=3):
        """Guess a password every few seconds."""
        end = self.now + 60 * minutes
        while self.now < end:
            self.log_in(browser, password="guessed")
            self.now += every


@pytest.fixture
def server(make_study, serve, monkeypatch):
    return Server(serve(make_study()), monkeypatch)


def test_one_address_locks_no_account(server):
    server.guess(server.browser(STRANGER), minutes=25)
    assert server.log_in(server.browser(HOME)) == 303


def test_who_logged_in_before_or_has_a_link_waits_for_nobody(server):
    """Not even in the network of the one who guesses, nor while many networks guess."""
    own = server.browser(CAFE)
    assert server.log_in(own) == 303
    server.post(own, "account/everywhere")
    assert server.log_in(own) == 303  # known again
    own.http.cookies.delete("desk")
    for n in range(30):
        stranger = server.browser(f"198.51.100.{n}")
        for _ in range(5):
            server.log_in(stranger, password="guessed")
    server.guess(server.browser(CAFE), minutes=5)
    assert server.log_in(server.browser(CAFE)) == 429
    server.pauses.clear()
    assert server.log_in(own) == 303
    once = server.accounts.invite("researcher")
    link = {"secret": once, "password": OTHER}
    assert server.browser(CAFE).post("/desk/login", data=link).status_code == 303
    assert not any(server.pauses)


def test_a_known_browser_is_known_to_its_own_account_only(server):
    server.accounts.accept(server.accounts.invite("ann"), OTHER)
    own = server.browser(HOME)
    assert server.log_in(own, name="ann", password=OTHER) == 303
    tries = [server.log_in(own, password="guessed") for _ in range(12)]
    assert tries.count(429) >= 4
    server.now += 3600
    assert server.log_in(own) == 303  # both are known there now
    server.guess(server.browser(HOME), minutes=5)
    assert server.log_in(own, name="ann", password=OTHER) == 303
    assert server.log_in(own) == 303


def test_each_guess_waits_longer_and_a_right_one_ends_it(server):
    server.served.shared.logins.burst = server.served.shared.logins.per_second = 1e9
    own = server.browser(HOME)
    for _ in range(9):
        assert server.log_in(own, password="mistyped") == 403
        server.now += server.pauses[-1]
    assert server.pauses == [0, 0, 0, 0, 0, 1, 2, 4, 8]
    assert server.log_in(own) == 429  # the next one would wait for longer than it is held
    server.now += 16
    assert server.log_in(own) == 303
    assert server.log_in(server.browser(HOME), password="mistyped") == 403
    assert server.pauses[-1] == 0


def test_the_desk_tells_of_refused_log_ins(server):
    own = server.browser(HOME)
    server.log_in(own)
    assert 'role="alert"' not in own.get("/desk").text
    for _ in range(3):
        server.log_in(server.browser(STRANGER), password="guessed")
    server.log_in(server.browser(STRANGER), name="nobody", password="guessed")
    said = re.search(r'role="alert">([^<]+)', own.get("/desk").text)[1]
    assert "3 log-ins as researcher" in said


KEY = "JBSWY3DPEHPK3PXP" * 2
CHANGES = {
    "password": lambda accounts: accounts.set_password("researcher", OTHER),
    "codes": lambda accounts: accounts.confirm_totp("researcher", KEY, pyotp.TOTP(KEY).now()),
    "no codes": lambda accounts: accounts.confirm_totp("researcher", "", ""),
    "everywhere": lambda accounts: accounts.end_all("researcher"),
    "invitation": lambda accounts: accounts.accept(accounts.invite(), OTHER),
}


def test_a_stolen_session_changes_neither_password_nor_codes(server):
    own = server.browser(HOME)
    server.log_in(own)
    shown = server.post(own, "account/codes", old=PASSWORD)
    found = {name: re.search(rf'name="{name}" value="([^"]+)"', shown.text)[1] for name in FIELDS}
    code = pyotp.TOTP(found["key"])
    assert server.post(own, "account/codes/confirm", **found, code=code.now()).status_code == 303
    before = server.accounts.all
    thief = server.browser(STRANGER)
    thief.http.cookies.set("desk", own.http.cookies["desk"])
    assert thief.get("/desk/-/account").status_code == 200
    key = pyotp.random_base32()
    own_key = {"key": key, "code": pyotp.TOTP(key).now()}
    for path, form in (
        ("account/password", {"password": OTHER}),
        ("account/password", {"password": OTHER, "old": PASSWORD}),  # and no code
        ("account/codes", {}),
        ("account/codes", own_key),
        ("account/codes", {"end": "yes", "old": PASSWORD}),
        ("account/codes/confirm", own_key),
        ("account/codes/confirm", own_key | {"ticket": found["ticket"]}),
        ("accounts/invite", {"again": "researcher"}),
        ("accounts/invite", {"name": "eve", "admin": "yes"}),
    ):
        reply = server.post(thief, path, **form)
        assert reply.status_code in (403, 429), (path, form)
        assert key not in reply.text
    assert server.accounts.all == before


FIELDS = "key", "ticket"


def test_a_key_that_was_shown_before_a_change_is_worth_nothing_after_it(server):
    own = server.browser(HOME)
    server.log_in(own)
    shown = server.post(own, "account/codes", old=PASSWORD)
    found = {name: re.search(rf'name="{name}" value="([^"]+)"', shown.text)[1] for name in FIELDS}
    server.post(own, "account/password", old=PASSWORD, password=OTHER)
    found["code"] = pyotp.TOTP(found["key"]).now()
    assert server.post(own, "account/codes/confirm", **found).status_code == 403
    assert server.accounts.all["researcher"].totp == ""


def test_an_invitation_on_a_full_disk_waits_and_works_afterwards(server, monkeypatch):
    once = server.accounts.invite("ann")
    link = {"secret": once, "password": OTHER}
    with monkeypatch.context() as full:

        def write(*_):
            raise OSError(28, "No space left on device")

        full.setattr(accounts.os, "fsync", write)
        refused = server.browser(HOME).post("/desk/login", data=link)
        assert refused.status_code == 503
    assert server.browser(HOME).post("/desk/login", data=link).status_code == 303


def test_each_change_voids_what_was_given_out_before(tmp_path):
    given = accounts.Accounts(tmp_path / accounts.FILE)
    given.accept(given.invite(), PASSWORD)
    given.accept(given.invite("ann"), OTHER)
    others = given.session("ann")
    for name, change in CHANGES.items():
        session = given.session("researcher")
        once = given.invite("researcher") if name != "invitation" else ""
        change(given)
        assert given.holder(session) is None, name
        assert given.accept(once, PASSWORD) is None, name
        assert given.holder(others) == "ann", name


def test_a_rehearsal_ends_with_the_session_of_its_maker(server):
    home, stranger = server.browser(HOME), server.browser(STRANGER)
    for ending in ("logout", "-/account/everywhere"):
        server.log_in(home)
        root = home.send_form("/desk/ties/try").headers["location"].partition("/s/")[0]
        enter = f"{root}/api/studies/~ties/participants"
        assert stranger.post(enter, json={}).status_code == 200
        home.send_form(f"/desk/{ending}")
        assert stranger.post(enter, json={}).status_code == 401, ending


def test_accounts_are_those_of_one_study_in_any_order(tmp_path):
    faces, ties, tiles = studies = [tmp_path / name for name in ("faces", "ties", "tiles")]
    for folder in studies:
        folder.mkdir()
    assert accounts.file_for([ties, faces]).parent == ties
    kept = accounts.Accounts(faces / accounts.FILE).path
    for order in permutations(studies):
        assert accounts.file_for(order) == kept
    accounts.Accounts(tiles / accounts.FILE)
    assert accounts.file_for([faces, ties]) == kept
    for order in permutations(studies):
        with pytest.raises(SettingError):
            accounts.file_for(order)
