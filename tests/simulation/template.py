"""The study that all worlds begin with."""

import hashlib

import psycopg

from resemblance.store import schema
from simulation.desk import NAMES, PASSWORD
from simulation.machine import Machine, Process

QUOTA, FORGET = 4, "forget_ids_after_days = 30"
TOML = f"""
[study]
name = "sim"
contact = "a@b.org"
[stimuli]
items = "items.csv"
[tasks]
per_participant = 1
task_size = 5
gold_share = 0.2
practice = 1
[asking]
strategy = "random"
[quality]
fast_ms = 0
[[quality.rules]]
measure = "gold"
below = 0.5
after = 1
action = "exclude"
[[quality.rules]]
measure = "answered"
below = 0.5
action = "hold"
[recruitment]
source = "prolific"
max_participants = {QUOTA}
completion_code = "CODE42"
[pages]
questionnaire = ["pages/about.md"]
[privacy]
{FORGET}
[server]
port = 0
"""
ABOUT = '# About\n\n```form\n[name]\ntype = "text"\nlabel = "Name"\n```\n'


def make_template(folder, database=None):
    """Write the folder of the study, and its database, as all worlds begin with it.

    Its pages lie elsewhere, where a link leads.
    """
    texts = folder.with_name("texts")
    texts.mkdir()
    folder.mkdir()
    (folder / "pages").symlink_to(texts)
    rows = "\n".join(f"i{n},item {n}" for n in range(5))
    (folder / "items.csv").write_text(f"name,text\n{rows}\n")
    for page in ("consent", "instructions", "debrief"):
        (folder / "pages" / f"{page}.md").write_text(f"# {page}\n")
    (folder / "pages" / "about.md").write_text(ABOUT)
    server = f'database = "{database}"\n' if database else ""
    (folder / "study.toml").write_text(TOML + server)
    with Machine(0).running() as machine:
        process = Process(machine, folder)
        live = process.open()
        accounts = process.shared.accounts
        accounts.accept(accounts.invite(NAMES[0]), PASSWORD)
        enter_once = hashlib.sha256(b"").hexdigest()  # makes the key of identities
        live.folder.path.joinpath("identity.key").write_text(enter_once)
        process.end()


def emptied(database):
    """Make a database of PostgreSQL as it was before its first row."""
    with psycopg.connect(database) as connection:
        connection.execute(f"TRUNCATE {', '.join(schema.metadata.tables)} RESTART IDENTITY")
