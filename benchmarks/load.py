"""Measure how many people a server can serve: load.py [URL] [--people 200] [--processes 1].

`resemblance serve` runs on loopback. In an asyncio process each person posts an answer every 1.5 s,
and receives the next question with its acknowledgement, like the participants' page. Several
numbers of people (``--people 200,400,800``) are measured one after the other. Without an address,
the store is SQLite in a temporary folder; the address of PostgreSQL must be an empty database.
"""

import argparse
import asyncio
import json
import os
import random
import statistics
import tempfile
import time
from pathlib import Path

import uvloop
from serving import NAME, Eyes, Server, open_live, write_study

EACH = 1.5  # seconds between two answers of a person
AHEAD = 4  # questions that a page requests in advance
TICKS = os.sysconf("SC_CLK_TCK")


class Page:
    """A person's page: a persistent connection with minimal HTTP.

    Attributes
    ----------
    waits, late : list of float
        For each answer, the seconds until it was acknowledged, and the delay in sending it.
    """

    def __init__(self, port: int, name: str, eyes: Eyes, each: float = EACH) -> None:
        self.port, self.name, self.eyes, self.token, self.each = port, name, eyes, "", each
        number = random.getrandbits(24)  # as behind a proxy: entries are limited by address
        self.address = f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}"
        self.waits: list[float] = []
        self.late: list[float] = []

    async def connect(self) -> None:
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)

    async def enter(self) -> None:
        await self.connect()
        entry = {"parameters": {"simulated": self.name}}
        told = await self.post(f"/api/studies/{NAME}/participants", entry)
        self.token = told["token"]
        for page in ("consent", "instructions"):
            await self.post(f"/api/me/pages/{page}", {"agree": True, "seconds": 1.0})
        told = await self.post("/api/me/answers", {"answers": [], "want": AHEAD})
        self.questions = told["questions"]

    async def answer(self) -> None:
        question = self.questions[0]
        client = {"input": "simulated", "shown": 1000.0 * time.time()}
        answer = {"question": question["id"], "skipped": False, "client": client, "rt_ms": 900.0}
        answer["response"] = self.eyes.choose(question)
        began = time.perf_counter()
        told = await self.post("/api/me/answers", {"answers": [answer], "want": AHEAD})
        self.waits.append(time.perf_counter() - began)
        assert told["acknowledged"] == [question["id"]]
        self.questions = told["questions"]

    async def post(self, path: str, body: dict) -> dict:
        """Send a request; retry later if the server replies that it is too early."""
        content = json.dumps(body).encode()
        head = (
            f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
            f"Authorization: Bearer {self.token}\r\nX-Forwarded-For: {self.address}\r\n"
            f"Content-Length: {len(content)}\r\n\r\n"
        )
        while True:
            self.writer.write(head.encode() + content)
            lines = (await self.reader.readuntil(b"\r\n\r\n")).lower()
            length = int(lines.partition(b"content-length: ")[2].partition(b"\r\n")[0])
            told = json.loads(await self.reader.readexactly(length))
            status = int(lines.split(None, 2)[1])
            if status == 200:
                return told
            if status != 429:
                raise RuntimeError(f"{path}: {status} {told}")
            await asyncio.sleep(random.uniform(0.5, 1.5))

    async def stay(self, until: float) -> None:
        """Answer at a steady pace until the end."""
        due = time.perf_counter() + random.uniform(0, self.each)
        while due < until:
            await asyncio.sleep(due - time.perf_counter())
            self.late.append(time.perf_counter() - due)
            await self.answer()
            due = max(due + self.each, time.perf_counter())


async def window(server: Server, pages: list[Page], n: int, seconds: float) -> dict:
    eyes = pages[0].eyes if pages else Eyes(server.n_items)
    new = [Page(server.port, f"{number}", eyes) for number in range(len(pages), n)]
    for start in range(0, len(new), 20):
        await asyncio.gather(*(page.enter() for page in new[start : start + 20]))
    pages += new
    for page in pages:
        page.waits, page.late = [], []
    before, began = processor(server), time.perf_counter()
    await asyncio.gather(*(page.stay(began + seconds) for page in pages))
    took = time.perf_counter() - began
    used = {
        role: round((now - before.get(role, 0.0)) / took, 2)
        for role, now in processor(server).items()
    }
    return {"people": n} | figures(pages, took) | {"processors": used, "load": os.getloadavg()[0]}


def figures(pages: list[Page], seconds: float) -> dict:
    """Return the rate, and quantiles of the times in milliseconds."""
    waits = [1e3 * wait for page in pages for wait in page.waits]
    late = [1e3 * wait for page in pages for wait in page.late]
    hundredths = statistics.quantiles(waits, n=100)
    return {
        "answers per s": round(len(waits) / seconds, 1),
        "p50 ms": round(hundredths[49], 1),
        "p90 ms": round(hundredths[89], 1),
        "p99 ms": round(hundredths[98], 1),
        "max ms": round(max(waits), 1),
        "sent late, p99 ms": round(statistics.quantiles(late, n=100)[98], 1),
    }


def processor(server: Server) -> dict[str, float]:
    told = {"generator": time.process_time()}
    for role in ("web", "worker"):
        for number, pid in enumerate(server.pids(role)):
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            told[f"{role} {number}"] = (int(fields[11]) + int(fields[12])) / TICKS
    return told


async def run(server: Server, told: argparse.Namespace) -> None:
    """Measure each size of the crowd; stop when the server is overloaded."""
    pages: list[Page] = []
    for n in told.people:
        row = await window(server, pages, n, told.seconds)
        print(json.dumps(row | {"MB": server.memory()["all"]}), flush=True)
        if row["p99 ms"] > told.most:
            break
    for page in pages:
        page.writer.close()


def adaptive(folder: Path, url: str | None) -> dict:
    """Return the share of questions chosen by the worker, and the number of fits."""
    live, store = open_live(folder, url)
    with store:
        main = [one.spec for one in store.questions.all(live.record) if one.purpose == "main"]
        fits = store.events.audit(live.record, "fit")
    late = main[len(main) // 2 :]
    share = sum(spec["strategy"] == "predictive" for spec in late) / len(late)
    seconds = [event.details["seconds"] for event in fits]
    return {
        "questions": len(main),
        "chosen by a fit, second half": round(share, 2),
        "fits": len(fits),
        "seconds of a fit, median and most": seconds and [statistics.median(seconds), max(seconds)],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url", nargs="?")
    parser.add_argument("--people", type=sizes, default=[200], help="such as 200,400,800")
    parser.add_argument("--seconds", type=float, default=60.0, help="of each window, 120 at most")
    parser.add_argument("--most", type=float, default=500.0, help="p99 in ms at which it ends")
    parser.add_argument("--processes", type=int, default=1, help="web processes")
    parser.add_argument("--items", type=int, default=60)
    told = parser.parse_args()
    told.seconds = min(told.seconds, 120.0)
    random.seed(0)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_study(folder, told.items)
        with Server(folder, told.url, told.processes) as server:
            server.n_items = told.items
            uvloop.run(run(server, told))
        print(json.dumps(adaptive(folder, told.url)))


def sizes(text: str) -> list[int]:
    return [min(int(number), 4000) for number in text.split(",")]


if __name__ == "__main__":
    main()
