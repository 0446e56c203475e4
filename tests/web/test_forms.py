"""Every page of the desk is found, and every form on it is sent with what nobody should send."""

import random
from collections import Counter
from html.parser import HTMLParser
from urllib.parse import quote, urljoin

import pytest

from resemblance.web.desk import login

PASSWORD = "a long password"
TIMES = 12  # that each form is sent
ODD = [
    *("", "0", "-1", "1e309", "nan", "9" * 400, "²", "1,5", "true", "2026-13-45", "0.5 "),
    *("x" * 5000, "a\nb", "\x00", "\ud800", "\u202e", "<b>", '"', "{}", "[[quality.rules]]"),
    *("../..", "ties", "researcher", "P0001"),
]


class Page(HTMLParser):
    """The links of a page, and its forms: method, address, and the values of each field."""

    def __init__(self, reply):
        super().__init__()
        self.links, self.forms, self.field = set(), [], ""
        self.feed(reply.text)

    def handle_starttag(self, tag, attributes):
        told = dict(attributes)
        if tag == "a" and "download" not in told:
            self.links.add(told.get("href") or "")
        elif tag == "form":
            self.forms.append((told.get("method", "get"), told.get("action") or "", {}))
        elif tag in ("input", "button", "select", "textarea", "option") and self.forms:
            self.field = told.get("name", "" if tag != "option" else self.field)
            if self.field:
                self.forms[-1][2].setdefault(self.field, []).append(told.get("value") or "")


class Owner:
    """A researcher who may do everything, and logs in again where a form ended that."""

    def __init__(self, served):
        self.served, self.accounts = served, served.shared.accounts
        self.accounts.accept(self.accounts.invite(), PASSWORD)
        self.session = ""

    def request(self, method, address, form=None):
        if self.accounts.holder(self.session) is None:
            self.session = self.accounts.session("researcher")
            self.served.client.http.cookies.set("desk", self.session)
        if form is None:
            return self.served.client.request(method, address)
        pairs = ((quote(one, errors="surrogatepass") for one in pair) for pair in form.items())
        body = "&".join(map("=".join, pairs))
        if method == "get":
            return self.served.client.get(f"{address}?{body}")
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        return self.served.client.request(method, address, content=body, headers=kind)

    def forms(self):
        """Follow all links but to downloads; give the form of each address, with all fields."""
        waiting, seen, found = {"/desk", "/desk/-/invitation"}, set(), {}
        while waiting:
            seen.add(at := waiting.pop())
            reply = self.request("get", at)
            assert reply.status_code == 200, at
            page = Page(reply)
            links = {urljoin(at, one).partition("#")[0] for one in page.links}
            waiting |= {one for one in links if one.startswith("/")} - seen
            for method, address, fields in page.forms:
                found.setdefault((method, urljoin(at, address or at)), {}).update(fields)
        return found


@pytest.fixture
def owner(make_study, serve, monkeypatch):
    served = serve(make_study(asking={"strategy": "predictive"}, search={"public": True}))

    async def sleep(_):
        pass

    monkeypatch.setattr(login, "sleep", sleep)
    for limit in (served.shared.logins, served.shared.guesses, served.shared.tries):
        limit.burst = limit.per_second = 1e9
    person = served.person()
    person.begin()
    person.answer_all()
    return Owner(served)


def test_whatever_a_form_of_the_desk_holds_nothing_fails(owner):
    forms, chance = owner.forms(), random.Random(0)
    assert len(forms) > 10
    statuses = Counter()
    for (method, address), fields in forms.items():
        for time in range(TIMES):
            form = {name: chance.choice(values) for name, values in fields.items()}
            for name in chance.sample(list(form), min(time, len(form))):  # first as it is
                form[name] = chance.choice(ODD)
            if time % 4 == 3 and form:
                form.pop(chance.choice(list(form)), None)
            reply = owner.request(method, address, form)
            assert reply.status_code < 500, (address, form)
            statuses[reply.status_code] += 1
    assert statuses[303] >= 10  # some went all the way
