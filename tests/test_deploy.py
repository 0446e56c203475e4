"""The files to run a server with say what the program knows, and keep secrets out of sight."""

import re
import shlex
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
