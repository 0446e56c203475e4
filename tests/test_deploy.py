"""The files to run a server with say what the program knows, and keep secrets out of sight."""

import re
import shlex
import subprocess
from configparser import ConfigParser
from pathlib import Path

import yaml
from typer.testing import CliRunner

from resemblance.cli.app import app

DEPLOY = Path(__file__).parents[1] / "deploy"


def unit():
    """Read the service: keys that come twice are lists, which this parser does not know."""
    parser = ConfigParser(strict=False, interpolation=None, delimiters=("=",))
    parser.optionxform = str
    parser.read(DEPLOY / "resemblance.service")
    return parser


def compose():
    return yaml.safe_load((DEPLOY / "compose.yaml").read_text())


def known(words):
    """Say whether the program takes these words: its help lists every option."""
    help_ = CliRunner().invoke(app, [words[0], "--help"], env={"COLUMNS": "200"}).output
    return all(word in help_ for word in words if word.startswith("--"))


def test_the_service_runs_a_command_that_there_is_without_rights():
    service = unit()["Service"]
    program, *words = shlex.split(service["ExecStart"])
    assert program.endswith("/resemblance")
    assert known(words)
    assert service["User"] != "root"
    for key in ("NoNewPrivileges", "PrivateTmp", "ProtectHome"):
        assert service[key] == "yes"
    assert service["ProtectSystem"] == "strict"
    assert service["UMask"] == "0077"


def test_the_service_needs_no_file_that_the_guide_does_not_make():
    """systemd knows no optional credentials: without the file nothing would start."""
    service = unit()["Service"]
    assert "LoadCredential" not in service
    assert "database" not in service.get("Environment", "").lower()


def test_the_guide_builds_each_wheel_that_it_installs():
    lines = (DEPLOY.parent / "docs/guide/run-for-a-lab.md").read_text().splitlines()
    told = [line for line in lines if line.startswith("# ")]
    installs = [n for n, line in enumerate(told) if "pip install" in line]
    assert len(installs) == 2
    for n in installs:
        assert any(re.fullmatch(r"# make -C \S+ build", line) for line in told[max(n - 5, 0) : n])


def test_containers_run_commands_that_there_are_and_secrets_are_files():
    told = compose()
    assert known(told["services"]["study"]["command"])
    for service in told["services"].values():
        for name, value in (service.get("environment") or {}).items():
            if re.search("PASSWORD|DATABASE|SECRET", name):
                assert name.endswith("_FILE")
                assert value.startswith("/run/secrets/")
    assert all(set(secret) == {"file"} for secret in told["secrets"].values())
    study = told["services"]["study"]
    assert study["read_only"]
    assert study["cap_drop"] == ["ALL"]
    assert told["networks"]["inside"]["internal"]
    assert "ports" not in study
    assert "ports" not in told["services"]["db"]
    assert ":?" in told["services"]["proxy"]["environment"]["STUDY_HOST"]  # refused without


def test_the_way_in_containers_is_told_from_the_pictures_to_the_first_log_in():
    """Compose asks for STUDY_HOST at each command, so it is written down before the first."""
    head = (DEPLOY / "compose.yaml").read_text().partition("\nservices:")[0]
    steps = ["> .env", "> secrets/postgres", "> secrets/database", "chown -R 1000", "study new"]
    places = [head.index(one) for one in [*steps, "compose up", "one-time-secret"]]
    assert places == sorted(places)
    guide = (DEPLOY.parent / "docs/guide/run-for-a-lab.md").read_text()
    told = re.findall(r"docker compose (?:exec|run)[ \w-]*? study (.*)", head + guide)
    commands = [line.removeprefix("resemblance ").split() for line in told]
    assert {"new", "check", "accounts", "backup"} <= {words[0] for words in commands}
    assert all(known(words) for words in commands if words[0].isalpha())


def test_what_the_container_reads_belongs_to_its_user():
    """A secret is the file of the host as it is: of another owner, mode 600, it stops the study."""
    user = re.search(r"useradd .*--uid (\d+)", (DEPLOY / "Dockerfile").read_text())[1]
    head = (DEPLOY / "compose.yaml").read_text().partition("\nservices:")[0]
    assert f"chown {user} secrets/database" in head
    assert f"chown -R {user} studies" in head


def test_the_image_runs_without_root_and_is_asked_whether_it_is_ready():
    lines = (DEPLOY / "Dockerfile").read_text().splitlines()
    words = [line.split()[0] for line in lines if line and line[0].isupper()]
    assert words.index("USER") < words.index("ENTRYPOINT")
    assert "USER root" not in lines
    assert any("/ready" in line for line in lines)
    entry = next(line for line in lines if line.startswith("CMD"))
    assert known(re.findall(r'"([^"]+)"', entry))


def cloud_init():
    """Return the files that the machine gets, by their paths."""
    written = yaml.safe_load((DEPLOY / "cloud-init.yaml").read_text())["write_files"]
    return {file["path"]: file["content"] for file in written}


def test_a_rented_machine_gets_the_service_and_the_proxy_of_this_folder():
    files = cloud_init()
    service = (DEPLOY / "resemblance.service").read_text()
    assert files["/etc/systemd/system/resemblance.service"] == service
    proxy = (DEPLOY / "Caddyfile").read_text().split("\n", 1)[1]  # its first line is a comment
    proxy = proxy.replace("{$STUDY_HOST}", "STUDY_HOST").replace("study:8000", "127.0.0.1:8000")
    assert files["/etc/caddy/study.template"] == proxy


def test_scripts_of_a_rented_machine_are_sound_and_run_commands_that_there_are():
    files = cloud_init()
    for path in ("/usr/local/sbin/put-online", "/etc/cron.daily/resemblance"):
        subprocess.run(["sh", "-n"], input=files[path], text=True, check=True)
        runs = re.findall(r"^ *(?:sudo -u study \S+/)?resemblance ([a-z].*)", files[path], re.M)
        assert runs
        assert all(known(shlex.split(words)) for words in runs)
