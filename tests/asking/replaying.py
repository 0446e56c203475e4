"""Do again what a session's log says."""

from resemblance.asking import Session


def replay(log, items, **settings):
    """Return a session that asked, heard and fitted what a log says; its own log says the same."""
    session = Session(items, **settings)
    for line in log:
        match line["event"]:
            case "ask":
                assert {"event": "ask", **session.ask().as_dict()} == line
            case "fit":
                session.adopt(session.fit_job(line["told"], line.get("items")).run())
            case _:
                session._take(line)
    return session
