"""Build the image of deploy/Dockerfile without Docker, and attack it.

    PYTHONPATH=tests python benchmarks/image.py FOLDER

Run it as root on Debian, with debootstrap, bubblewrap and PostgreSQL. A root file system with
Debian's Python, from apt's source of packages, replaces ``python:...-slim``. The steps of the
Dockerfile run in copies of it, and the service is started as in deploy/compose.yaml: read-only,
without privileges or capabilities, as process 1, and with PostgreSQL. Successful attacks are
printed, and then the exit status is 1. FOLDER needs 5 GB; an earlier build in it is reused without
--anew.
"""

import argparse
import json
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import yaml
from PIL import Image

from postgres import Cluster, postgresql
from resemblance.study.live import open_stored
from resemblance.web.simulated_people import Visitor

HOME = Path(__file__).parents[1]
SUITE, PACKAGES = "trixie", "python3,python3-venv,python-is-python3,ca-certificates"
HANDED_ON = re.compile(r"(PIP_(?!FIND)|NODE_EXTRA|SSL_CERT|.*_proxy$)", re.IGNORECASE)
OURS = ["/etc/resolv.conf", "/etc/ssl/certs/ca-certificates.crt"]  # needed for downloads
BARE = ["--bounding-set=-all", "--inh-caps=-all", "--clear-groups"]
PATHS = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
SOCKET = "/database"  # socket folder of PostgreSQL, since there is no container network
PORT, STUDY, N_VISITORS = 8000, "study", 4
ESCAPES = ["../", "..%2f", "%2e%2e/", "%2e%2e%2f", "..\\", "%252e%252e%252f", "....//", "/", "//"]
BEFORE = ["/", "/s/study/", "/media/", "/static/", "/assets/", "/api/studies/study/", "/desk/"]
FILES = ["etc/passwd", "studies/study/study.toml", "studies/study/secret", "proc/self/environ"]
HEADERS = "Host: 127.0.0.1\r\nConnection: close"
REFUSED = (0, 301, 303, 307, 400, 401, 403, 404, 405)
SECRETS = [b"root:x:", b"[study]", b"RESEMBLANCE", b'"accounts"']
INSIDE = """
import ctypes, json, os
found, status = [], open("/proc/self/status").read()
for line in status.splitlines():
    name, _, value = line.partition(":")
    if name in ("CapEff", "CapPrm", "CapBnd", "CapInh", "CapAmb") and int(value, 16):
        found.append(line)
    if (name, value.strip()) in (("NoNewPrivs", "0"), ("Uid", "0")):
        found.append(line)
for folder, folders, files in os.walk("/"):
    if folder in ("/proc", "/sys", "/dev", "/tmp", "/studies"):
        folders.clear()
        continue
    for act in (lambda: open(os.path.join(folder, ".tried"), "w").close(),
                lambda: files and os.remove(os.path.join(folder, files[0])),
                lambda: os.chmod(folder, 0o777)):
        try:
            if act() != []:
                found.append(folder)
        except OSError:
            pass
libc = ctypes.CDLL(None, use_errno=True)
acts = {
    "setuid": lambda: os.setuid(0), "chown": lambda: os.chown("/tmp", 0, 0),
    "mknod": lambda: os.mknod("/tmp/disk", 0o60600, os.makedev(254, 0)),
    "chroot": lambda: os.chroot("/tmp"), "read /etc/shadow": lambda: open("/etc/shadow").read(),
    "remount": lambda: libc.mount(b"none", b"/", None, 32, None) and (_ for _ in ()).throw(OSError),
}
for name, act in acts.items():
    try:
        act()
        found.append(name)
    except OSError:
        pass
print(json.dumps(found))
"""


@dataclass
class Stage:
    """A built stage of a Dockerfile: a root file system, and the settings of its program."""

    root: Path
    folder: str = "/"
    user: str = "root"
    settings: dict[str, str] = field(default_factory=dict)
    program: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    health: list[str] = field(default_factory=list)
    stop: str = "SIGTERM"

    def inside(self, *mounts: str, alone: bool = False) -> list[str]:
        """Return the start of a command that runs inside; ``alone`` makes it process 1."""
        own = ["--unshare-pid", "--as-pid-1"] if alone else []
        given = {**self.settings, "PATH": self.settings.get("PATH", PATHS)}
        settings = [word for name, value in given.items() for word in ("--setenv", name, value)]
        return ["bwrap", *mounts, "--dev", "/dev", "--proc", "/proc", "--clearenv", *settings, *own]

    def build(self, command: str) -> None:
        """Run a RUN step, as root."""
        ours = [word for path in OURS for word in ("--ro-bind", os.path.realpath(path), path)]
        handed = {name: value for name, value in os.environ.items() if HANDED_ON.match(name)}
        settings = [word for name, value in handed.items() for word in ("--setenv", name, value)]
        begin = self.inside("--bind", str(self.root), "/", *ours, "--tmpfs", "/tmp")
        rest = [*settings, "--cap-add", "ALL", "--chdir", self.folder, "/bin/sh", "-c", command]
        subprocess.run([*begin, *rest], check=True)

    def place(self, path: str) -> Path:
        return self.root / os.path.join(self.folder, path).lstrip("/")


def steps(dockerfile: Path) -> Iterator[tuple[str, str]]:
    """Yield the instructions of a Dockerfile, with their arguments."""
    lines = [line for line in dockerfile.read_text().splitlines() if not line.startswith("#")]
    for step in "\n".join(lines).replace("\\\n", " ").splitlines():
        if step.strip():
            word, _, rest = step.strip().partition(" ")
            yield word, rest.strip()


def build(folder: Path, base: Path, anew: bool) -> Stage:
    """Run the steps of the Dockerfile (only settings if it is built); return the last stage."""
    images: dict[str, Stage] = {}
    arguments: dict[str, str] = {}
    for word, said in steps(HOME / "deploy/Dockerfile"):
        print(f"{word} {said[:90]}", flush=True)
        if word == "FROM":
            name = said.partition(" AS ")[2] or "last"
            image = images[name] = Stage(folder / name)
            if anew:
                shutil.rmtree(image.root, ignore_errors=True)
                subprocess.run(["cp", "-a", str(base), str(image.root)], check=True)
        elif word == "ARG":
            arguments |= [said.split("=")]  # type: ignore[list-item]
        elif word in ("RUN", "COPY"):
            if anew:
                image.build(said) if word == "RUN" else copy(image, images, said)
        elif word == "ENV":
            given = dict(one.split("=", 1) for one in shlex.split(said))
            image.settings |= {name: value.replace("$PATH", PATHS) for name, value in given.items()}
        elif word == "WORKDIR":
            image.folder = said
            image.place(".").mkdir(parents=True, exist_ok=True)
        elif word == "HEALTHCHECK":
            image.health = json.loads(said.partition("CMD ")[2])
        else:
            known = {"USER": "user", "ENTRYPOINT": "program", "CMD": "words", "STOPSIGNAL": "stop"}
            if word in known:
                setattr(image, known[word], json.loads(said) if said.startswith("[") else said)
            elif word not in ("VOLUME", "EXPOSE"):
                raise ValueError(f"{word} is no step that this program knows")
    return image


def copy(image: Stage, images: dict[str, Stage], said: str) -> None:
    """Run a COPY step, from another stage or from the files that git tracks."""
    *options, source, target = said.split()
    image.place(target).mkdir(parents=True, exist_ok=True)
    if options:
        origin = images[options[0].removeprefix("--from=")].place(source)
        shutil.copytree(origin, image.place(target), dirs_exist_ok=True)
        return
    known = subprocess.run(["git", "ls-files", "-z"], cwd=HOME, capture_output=True, check=True)
    files = known.stdout.decode().split("\0")[:-1]
    copying = ["cp", "--parents", "-t", str(image.place(target))]
    subprocess.run([*copying, *files], cwd=HOME, check=True)


def debian(root: Path, suite: str) -> None:
    asked = ["apt-get", "indextargets", "--format", "$(LABEL) $(REPO_URI)", "Created-By: Packages"]
    targets = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.splitlines()
    mirror = next(line.split()[1] for line in targets if line.startswith("Debian "))
    part = root.with_name("part")
    shutil.rmtree(part, ignore_errors=True)
    making = ["debootstrap", "--variant=minbase", f"--include={PACKAGES}", suite, str(part), mirror]
    subprocess.run(making, check=True, stdout=subprocess.DEVNULL)
    part.rename(root)


class Service:
    """The service of compose.yaml, in an image."""

    def __init__(self, image: Stage, studies: Path, cluster: Cluster) -> None:
        told = yaml.safe_load((HOME / "deploy/compose.yaml").read_text())["services"]["study"]
        assert told["read_only"]
        assert told["cap_drop"] == ["ALL"]
        assert told["security_opt"] == ["no-new-privileges:true"]
        assert told["volumes"] == ["./studies:/studies"]
        self.words, self.grace = told["command"], 60
        database, self.url = studies.with_name("database"), cluster.create()
        place = told["environment"]["RESEMBLANCE_DATABASE_FILE"]
        image.settings["RESEMBLANCE_DATABASE_FILE"] = place
        image.place(place).parent.mkdir(parents=True, exist_ok=True)
        image.place(place).touch()
        image.place(SOCKET).mkdir(exist_ok=True)
        database.write_text(self.url.replace(str(cluster.folder), SOCKET))
        mounts = ["--ro-bind", str(image.root), "/", "--bind", str(studies), "/studies"]
        mounts += ["--ro-bind", str(database), place, "--bind", str(cluster.folder), SOCKET]
        mounts += [word for path in told["tmpfs"] for word in ("--perms", "1777", "--tmpfs", path)]
        rights = [
            f"--cap-add=CAP_{name}" for name in ("SETUID", "SETGID", "SETPCAP")
        ]  # to drop all others
        rights = [word for one in rights for word in one.split("=")]
        user = image.place(f"/home/{image.user}").stat()
        become = [f"--reuid={user.st_uid}", f"--regid={user.st_gid}", *BARE, "--no-new-privs"]
        shared = ["--perms", "1777", "--tmpfs", "/dev/shm"]  # as in each container
        self.begin = [
            *image.inside(*mounts, alone=True),
            *shared,
            *rights,
            "--chdir",
            image.folder,
            "setpriv",
            *become,
        ]
        self.image, self.owner = image, (user.st_uid, user.st_gid)

    def run(self, *words: str) -> str:
        done = subprocess.run([*self.begin, *words], capture_output=True, text=True, check=True)
        return done.stdout

    @contextmanager
    def serving(self) -> Iterator[list[int]]:
        """Serve; yield the first process inside, and stop it like Docker."""
        reading, writing = os.pipe()
        words = [*self.begin, *self.image.program, *self.words]
        words[1:1] = ["--info-fd", str(writing)]
        outer = subprocess.Popen(words, pass_fds=[writing])
        os.close(writing)
        with os.fdopen(reading) as told:
            first = json.loads(told.read())["child-pid"]
        try:
            wait(lambda: fetch("/ready")[0] == 200)
            yield first
        finally:
            os.kill(first, getattr(signal, self.image.stop))
            if outer.wait(self.grace):
                print(f"it ended with status {outer.returncode}")


def wait(condition: Callable[[], object], seconds: float = 90.0) -> None:
    until = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > until:
            raise TimeoutError("nothing happened in time")
        time.sleep(0.2)


def fetch(path: str) -> tuple[int, bytes]:
    """Request a path exactly as written; clients would normalise it."""
    try:
        with socket.create_connection(("127.0.0.1", PORT), 10) as there:
            there.sendall(f"GET {path} HTTP/1.1\r\n{HEADERS}\r\n\r\n".encode())
            reply = b"".join(iter(lambda: there.recv(65536), b""))
    except OSError:
        return 0, b""
    return int(reply.split(None, 2)[1]) if reply else 0, reply.partition(b"\r\n\r\n")[2]


def children(pid: int) -> list[int]:
    told = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(one) for path in told for one in path.read_text().split()]


def new_study(service: Service, studies: Path) -> None:
    """Make a study as in the guide, with written pages, that admits simulated people."""
    pictures = studies / "pictures"
    pictures.mkdir(parents=True)
    for number in range(8):
        Image.new("RGB", (40, 40), (30 * number, 80, 120)).save(pictures / f"{number}.png")
    for path in (studies, pictures, *pictures.iterdir()):
        os.chown(path, *service.owner)
    service.run(*service.image.program, "new", STUDY, "--images", "pictures")
    (studies / STUDY / "pages/consent.md").write_text("# Taking part\n\nDo you agree?\n")
    told = studies / STUDY / "study.toml"
    allowed = r'\g<0>\nsimulated = "enter"'
    text = re.sub(r"(?m)^\[recruitment\].*$", allowed, told.read_text())
    told.write_text(text)


def attacks(service: Service, first: int, acknowledged: dict[str, list[str]]) -> Iterator[str]:
    """Attack the service; yield the attacks that succeed."""
    yield from (f"inside: {one}" for one in json.loads(service.run("python", "-c", INSIDE)))
    for path in (b + n * e + f for b in BEFORE for e in ESCAPES for n in (1, 4) for f in FILES):
        status, content = fetch(path)
        if status not in REFUSED or any(secret in content for secret in SECRETS):
            yield f"{path}: {status}, {content[:60]!r}"
    visitors = [
        Visitor(f"http://127.0.0.1:{PORT}", STUDY, f"visitor {n}", first_option, delay=0.02)
        for n in range(N_VISITORS)
    ]
    threads = [threading.Thread(target=visitor.run) for visitor in visitors]
    for thread in threads:
        thread.start()
    before = children(first)
    for pid in before:
        wait(lambda: sum(len(visitor.acknowledged) for visitor in visitors) > 3)
        os.kill(pid, signal.SIGKILL)
        wait(lambda: len(children(first)) == len(before))
    for thread in threads:
        thread.join()
    wait(lambda: fetch("/ready")[0] == 200)
    print(f"killed {len(before)} processes; {sum(bool(v.code) for v in visitors)} people finished")
    if not all(visitor.code for visitor in visitors):
        yield "somebody could not finish"
    acknowledged |= {visitor.pseudonym: visitor.acknowledged for visitor in visitors}
    service.run(*service.image.health)


def first_option(question: object) -> dict[str, int]:
    return {"chosen": 0}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--suite", default=SUITE, help="of Debian")
    parser.add_argument("--anew", action="store_true", help="build again what is there")
    told = parser.parse_args()
    folder = told.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    done = folder / "built"
    if not (base := folder / told.suite).exists():
        debian(base, told.suite)
    image, studies = build(folder, base, told.anew or not done.exists()), folder / "studies"
    done.touch()
    shutil.rmtree(studies, ignore_errors=True)
    cluster = postgresql()
    cluster.folder.chmod(0o755)
    service = Service(image, studies, cluster)
    new_study(service, studies)
    acknowledged: dict[str, list[str]] = {}
    with service.serving() as first:
        broken = list(attacks(service, first, acknowledged))
    os.environ["RESEMBLANCE_DATABASE"] = service.url
    with open_stored(studies / STUDY) as live:
        for person in live.store.people.all(live.record):
            stored = [one.question for one in live.store.answers.of(person)]
            if stored != acknowledged.pop(person.code):
                broken.append(f"what {person.code} answered is not what is stored")
    broken += [f"{code} is not there" for code in acknowledged]
    print("\n".join(broken) or "all held")
    return int(bool(broken))


if __name__ == "__main__":
    sys.exit(main())
