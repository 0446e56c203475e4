import json
import secrets
import time
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

server = "https://similarity.example.org"
study = "STUDY"

person = expInfo["participant"]
kept_in = Path(f"{study}-{person}.json")
kept = {"key": secrets.token_hex(32), "answer": None}  # who this is, and the answer on its way
if kept_in.exists():
    kept = json.loads(kept_in.read_text(encoding="utf-8"))


class Refused(Exception):
    """What the server will refuse however often it is asked."""


def keep(answer):
    """Write down the answer that is on its way: the experiment may be started again."""
    kept["answer"] = answer
    kept_in.write_text(json.dumps(kept), encoding="utf-8")


def call(route, body=None, token=None):
    """Call the server, up to five times if the network or the server fails."""
    headers = {"Content-Type": "application/json"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    data = None if body is None else json.dumps(body).encode()
    for wait in (0.5, 1, 2, 4, None):
        try:
            with urlopen(Request(f"{server}/api/{route}", data, headers), timeout=10) as reply:
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


def next_question():
    """Send the answer that is on its way, and return the question that comes next, or None."""
    answers = [kept["answer"]] if kept["answer"] else []
    try:
        standing = call("me/answers", {"answers": answers, "want": 1}, token) if answers else None
    except Refused as refusal:
        print(f"The answer {answers[0]} was not taken: {refusal}")
        standing = None
    keep(None)
    standing = standing or call("me", token=token)
    while standing["page"] and standing["state"] in ("consent", "instructions", "questionnaire"):
        agree = True if standing["state"] == "consent" else None  # you have asked for consent
        standing = call(f"me/pages/{standing['page']['name']}", {"agree": agree}, token)
    if standing["state"] in ("practice", "tasks") and not standing["questions"]:
        standing = call("me/answers", {"answers": [], "want": 1}, token)
    if standing["state"] in ("debrief", "finished"):
        call("me/finish", {}, token)
    return standing["questions"][0] if standing["questions"] else None


def shown(item):
    """Return the text of an item, or the file of its picture, which is fetched once."""
    if item["url"] is None:
        return item["text"]
    file = Path("stimuli") / item["url"].rpartition("/")[2]
    if not file.exists():
        file.parent.mkdir(exist_ok=True)
        with urlopen(server + item["url"], timeout=60) as picture:
            file.write_bytes(picture.read())
    return str(file)


question = token = None
try:
    keep(kept["answer"])
    entered = call(f"studies/{study}/participants", {"key": kept["key"]})
    token = entered["token"]
    thisExp.addData("observer", entered["code"])  # what the study calls this person
    question = next_question()
except Refused as refusal:  # the study is closed, or this person has finished
    print(f"Ended early: {refusal}")
