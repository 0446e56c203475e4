"""A web process is light: no science, little memory; so is the worker of a study without maps."""

import json
import subprocess
import sys

CODE = """
import json, sys
from pathlib import Path
from resemblance.web.app import create_app
from resemblance.study.live import open_folders, open_stores
from resemblance.web.accounts import Accounts
lives, stores = open_stores(open_folders([Path(sys.argv[1])]))
app = create_app(lives, Accounts(Path(sys.argv[1]) / "secret"))
import uvicorn, asyncio, httpx
async def use():
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        entered = (await client.post("/api/studies/ties/participants", json={})).json()
        headers = {"Authorization": "Bearer " + entered["token"]}
        await client.post("/api/me/pages/consent", json={"agree": True}, headers=headers)
        body = {"answers": [], "want": 4}
        reply = await client.post("/api/me/answers", json=body, headers=headers)
        assert len(reply.json()["questions"]) == 4
        assert (await client.get("/desk")).status_code == 200
        assert (await client.get("/api/studies/ties/search")).json()["tiles"] == []
asyncio.run(use())
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(json.dumps([int(peak.split()[1]) / 1024, sorted(sys.modules)]))
"""


WORKER = """
import json, sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from resemblance.study.live import open_folders, open_stores
from resemblance.study.worker.loop import StudyWork
lives, _ = open_stores(open_folders([Path(sys.argv[1])]))
work = StudyWork(lives[0])
with ThreadPoolExecutor(1) as threads:
    work.step(threads)
assert work._lease is not None
work.close()
print(json.dumps(sorted(sys.modules)))
"""


def test_a_worker_loads_no_science_where_nothing_is_fitted(make_study):
    folder = str(make_study(study={"kind": "odd_one_out", "n_options": 13}, n_items=14))
    modules = json.loads(subprocess.check_output([sys.executable, "-c", WORKER, folder]))
    assert not {"numpy", "scipy", "sklearn", "numba", "pandas"} & set(modules)


def test_a_web_process_loads_no_science_and_stays_small(make_study):
    """The search page of a study loads none either before there is a map."""
    folder = make_study(search={"public": True})
    told = subprocess.check_output([sys.executable, "-c", CODE, str(folder)])
    megabytes, modules = json.loads(told)
    heavy = {
        "numpy",
        "scipy",
        "sklearn",
        "numba",
        "pandas",
        "matplotlib",
        "PIL",
        "typer",
        "alembic",
    }
    assert heavy & set(modules) <= {"alembic"}  # a new database is made by its migrations
    assert megabytes < 120
