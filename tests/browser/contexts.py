"""A browser whose contexts are used again: a new one takes .7 s of processor, a page .2 s."""

import json
from contextlib import contextmanager
from urllib.parse import urlsplit

PATIENCE_MS = 90_000  # of any wait: a machine with a load of 12 took more than 30 s to show a page


class Browser:
    """Lends pages in contexts that are like new; those that are free wait for the next test."""

    def __init__(self, chromium):
        self.chromium, self.free = chromium, {}

    @contextmanager
    def page(self, **settings):
        """Lend a page that knows nothing of those before it: no storage, no cookie, no cache."""
        free = self.free.setdefault(json.dumps(settings, sort_keys=True), [])
        context = free.pop() if free else Context(self.chromium.new_context(**settings))
        yield context.lent.new_page()
        context.forget(settings.get("storage_state", {}).get("cookies"))
        free.append(context)


class Context:
    """A context with a page that stays, as a window costs most; and where pages have been."""

    def __init__(self, lent):
        lent.set_default_timeout(PATIENCE_MS)
        self.lent, self.stays, self.origins = lent, lent.new_page(), set()
        self.session = lent.new_cdp_session(self.stays)

    def forget(self, cookies):
        """Close all other pages, and keep nothing of them, but cookies that were there before."""
        for page in self.lent.pages:
            if page is not self.stays:
                parts = (urlsplit(frame.url) for frame in page.frames)
                self.origins |= {f"{u.scheme}://{u.netloc}" for u in parts if u.path[:1] == "/"}
                page.close()
        self.session.send("Network.clearBrowserCache")
        for origin in self.origins:
            known = {"origin": origin, "storageTypes": "all"}
            self.session.send("Storage.clearDataForOrigin", known)
        self.lent.unroute_all()
        self.lent.set_offline(False)
        if cookies:
            self.lent.add_cookies(cookies)
