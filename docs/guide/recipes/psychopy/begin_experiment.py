import json
import time
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

server = "https://similarity.example.org"
session = "SESSION"  # one for all participants
questions = 100  # of each participant

person = expInfo["participant"]
kept_in = Path(f"ask-tell-{session}-{person}.json")
kept = {"answered": 0, "out": None, "chosen": None}  # what is out, and the answer on its way
if kept_in.exists():
    kept = json.loads(kept_in.read_text(encoding="utf-8"))


class Refused(Exception):
    """What the server will refuse however often it is asked."""


def keep(**changes):
    """Write down how far this person is: the experiment may be started again."""
    kept.update(changes)
    kept_in.write_text(json.dumps(kept), encoding="utf-8")


def call(route, body):
    """Call the server, up to five times if the network or the server fails."""
    address = f"{server}/api/sessions/{session}/{route}"
    data, headers = json.dumps(body).encode(), {"Content-Type": "application/json"}
    for wait in (0.5, 1, 2, 4, None):
        try:
            with urlopen(Request(address, data, headers, method="POST"), timeout=10) as reply:
                return json.load(reply)
        except (URLError, OSError) as error:
            patience = 0
            if isinstance(error, HTTPError):
                patience = float(error.headers.get("Retry-After") or 0)
                if error.code < 500 and not patience:
                    raise Refused(error.read().decode()) from None
            if wait is None:
                raise  # start the experiment again: no answer is lost
            time.sleep(max(wait, patience))
    return None


def tell():
    """Tell the answer that is kept; the same one told twice counts once."""
    told = {"question": kept["out"]["question"], "chosen": kept["chosen"], "observer": person}
    try:
        call("tell", told)
    except Refused as refusal:
        print(f"The answer {told} was not taken: {refusal}")
        keep(out=None, chosen=None)
        return
    keep(answered=kept["answered"] + 1, out=None, chosen=None)


if kept["chosen"] is not None:
    tell()
