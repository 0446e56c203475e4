"""Workflows, versions and the dry run of a release agree with pyproject.toml."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

import resemblance as rs
from scripts import scripts

ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
OURS = "./.github/workflows/"
ON_A_BRANCH = "pypa/gh-action-pypi-publish@release/v1"


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


def project():
    return tomllib.loads(read("pyproject.toml"))["project"]


def workflow(name):
    return yaml.safe_load(read(f".github/workflows/{name}.yml"))


def jobs():
    return [
        (path.stem, name, job)
        for path in WORKFLOWS
        for name, job in workflow(path.stem)["jobs"].items()
    ]


def commands():
    return "\n".join(step.get("run", "") for *_, job in jobs() for step in job.get("steps", ()))


def used():
    return re.findall(r"^ *(?:- )?uses: (.+)$", "\n".join(map(Path.read_text, WORKFLOWS)), re.M)


def recipes():
    """Give the lines of each target of the Makefile, those that continue others joined."""
    makefile = read("Makefile").replace("\\\n", "")
    found = re.findall(r"^([\w-]+):(?!=)([^\n]*)\n((?:\t[^\n]*\n)*)", makefile, re.M)
    return {target: (needs.partition("#")[0].split(), lines) for target, needs, lines in found}


def variable(name):
    return re.search(rf"^{name} *:= (.+)$", read("Makefile").replace("\\\n", ""), re.M)[1]


def minor(version):
    return int(version.split(".")[1])


def test_workflows_are_told_apart_and_may_read_only():
    assert [path.stem for path in WORKFLOWS] == ["release", "tests", "wheel"]
    for path in WORKFLOWS:
        read = workflow(path.stem)
        assert read["name"] == path.stem
        assert read["permissions"] == {"contents": "read"}
    more = {(flow, name): job["permissions"] for flow, name, job in jobs() if "permissions" in job}
    assert more == {
        ("release", "publish"): {"id-token": "write"},
        ("release", "github"): {"contents": "write"},
    }
    assert workflow("release")["jobs"]["publish"]["environment"] == "pypi"
    assert "secrets." not in "".join(map(Path.read_text, WORKFLOWS))


def test_actions_are_named_by_commit_and_alike_everywhere():
    others = [one for one in used() if not one.startswith(OURS) and one != ON_A_BRANCH]
    assert all(re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v[\d.]+", one) for one in others)
    assert len({one.partition("@")[0] for one in others}) == len(set(others))
    assert all((ROOT / one).is_file() for one in used() if one.startswith(OURS))


def test_pythons_of_the_matrix_are_those_of_the_package():
    matrix = workflow("tests")["jobs"]["quick"]["strategy"]["matrix"]
    named = re.findall(r"Python :: (3\.\d+)", "\n".join(project()["classifiers"]))
    assert matrix["python"] == named
    lowest, above = re.fullmatch(r">=(3\.\d+),<(3\.\d+)", project()["requires-python"]).groups()
    assert list(map(minor, named)) == list(range(minor(lowest), minor(above)))
    systems = {"ubuntu-latest", "macos-latest", "windows-latest"}
    assert set(matrix["os"]) == systems
    assert set(workflow("wheel")["jobs"]["try"]["strategy"]["matrix"]["os"]) == systems


def test_windows_runs_the_numerical_tests():
    (command,) = [part for part in commands().splitlines() if "pytest" in part]
    assert f'-m "{variable("ALONE")}"' in command
    folders = re.search(r"addprefix tests/,([^)]+)\)", variable("NUMERICAL"))[1].split()
    run = commands().replace("\\\n", " ")
    assert re.search(r'pytest .*" +(.+)', run)[1].split() == folders
    assert all((ROOT / "tests" / folder).is_dir() for folder in folders)


@pytest.mark.parametrize("where", ["workflows", ".ci/run"])
def test_called_targets_exist(where):
    text = commands() if where == "workflows" else read(where)
    called = re.findall(r"\bmake((?: -\w+| \d+| [a-z][a-z-]*)+)", text)
    targets = {word for words in called for word in re.findall(r" ([a-z][a-z-]*)", words)}
    assert targets
    assert targets <= set(recipes())


def test_scripts_of_the_workflows_exist():
    called = re.findall(r"\.ci/[\w.]+", commands())
    assert set(called) == {".ci/run", ".ci/notes.py"}
    assert all((ROOT / script).is_file() for script in called)


def test_make_release_uploads_nothing():
    todo, lines = ["release"], ""
    while todo:
        needs, own = recipes().get(todo.pop(), ([], ""))
        todo, lines = todo + needs, lines + own
    assert "twine check --strict dist/*" in lines
    assert "resemblance demo --offline" in lines
    assert "upload" not in lines
    assert "twine upload" not in read("Makefile") + commands()


def test_an_index_gets_nothing_but_the_wheel_and_the_source():
    (made,) = (job for flow, _, job in jobs() if flow == "wheel" and "needs" not in job)
    paths = {step["with"]["name"]: step["with"]["path"].split() for step in made["steps"][-2:]}
    assert paths == {"dist": ["dist/*.whl", "dist/*.tar.gz"], "sbom": ["dist/*.cdx.json"]}
    taken = [
        [step["with"]["name"] for step in job["steps"] if "download" in step.get("uses", "")]
        for job in (workflow("release")["jobs"][name] for name in ("publish", "github"))
    ]
    assert taken == [["dist"], ["dist", "sbom", "notes"]]
    assert "cdx.json" in recipes()["sbom"][1]


def test_what_could_not_be_audited_is_no_pass():
    own, other = {"name": "resemblance", "skip_reason": "is not there"}, {"name": "a", "vulns": []}
    with scripts(".ci") as ci:
        python, pages = ci.audit.judged_python, ci.audit.judged_pages
        for told, status in (
            ({}, 2),
            ({"dependencies": [own]}, 2),
            ({"dependencies": [other, {"name": "b", "skip_reason": "not found"}]}, 2),
            ({"dependencies": [own, other]}, 0),
            ({"dependencies": [other, {"name": "b", "vulns": [{"id": "x"}]}]}, 1),
        ):
            assert python(told)[0] == status
        for told, status in (
            ({}, 2),
            ({"message": "405 Method Not Allowed", "error": {}}, 2),
            ({"auditReportVersion": 2, "vulnerabilities": {}}, 0),
            ({"auditReportVersion": 2, "vulnerabilities": {"a": {}}}, 1),
        ):
            assert pages(told)[0] == status


def test_versions_agree():
    cited = yaml.safe_load(read("CITATION.cff"))
    version = project()["version"]
    assert version == rs.__version__ == str(cited["version"])
    assert cited["license"] == project()["license"]
    assert cited["authors"] == project()["authors"]
    assert cited["keywords"] == project()["keywords"]


def test_the_changelog_goes_by_versions():
    with scripts(".ci") as ci:
        heads = list(ci.notes.sections(read("CHANGELOG.md")))
    told = [re.fullmatch(r"(\d+\.\d+\.\d+) \((unreleased|\d{4}-\d\d-\d\d)\)", h) for h in heads]
    assert all(told), heads
    assert told[0][1] == project()["version"]
    assert [h[1] for h in told if h[2] == "unreleased"] in ([], [told[0][1]])
    numbers = [tuple(map(int, h[1].split("."))) for h in told]
    assert numbers == sorted(set(numbers), reverse=True)
    cited = yaml.safe_load(read("CITATION.cff")).get("date-released", "unreleased")
    assert str(cited) == told[0][2]


def test_only_what_the_changelog_dates_goes_out():
    changelog = "# Changes\n\n## 0.2.0 (2031-05-01)\n\n- New.\n\n## 0.1.0 (unreleased)\n\n- Old.\n"
    with scripts(".ci") as ci:
        assert ci.notes.notes("v0.2.0", "0.2.0", changelog) == "- New."
        with pytest.raises(SystemExit, match=r'no section "0\.1\.0'):
            ci.notes.notes("v0.1.0", "0.1.0", changelog)
        with pytest.raises(SystemExit, match=r"the tag is v0\.3\.0"):
            ci.notes.notes("v0.3.0", "0.2.0", changelog)


@pytest.mark.parametrize("path", [f for f in FORMS if f.stem != "config"], ids=lambda p: p.stem)
def test_issue_forms_ask_for_something(path):
    form = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert form["name"]
    assert form["description"]
    fields = [field for field in form["body"] if field["type"] != "markdown"]
    assert all(field["attributes"]["label"] for field in fields)
    assert any(field.get("validations", {}).get("required") for field in fields)
    assert "resemblance --version" in path.read_text() or path.stem == "feature"


def test_read_the_docs_builds_what_make_docs_builds():
    settings = yaml.safe_load(read(".readthedocs.yaml"))
    assert (ROOT / settings["sphinx"]["configuration"]).is_file()
    assert settings["sphinx"]["fail_on_warning"] is True
    (install,) = settings["python"]["install"]
    assert set(install["extra_requirements"]) <= set(project()["optional-dependencies"])


def test_a_version_with_a_date_names_its_repository():
    urls, newest = project().get("urls", {}), re.search(r"^## .*$", read("CHANGELOG.md"), re.M)[0]
    named = {"Repository", "Documentation"} <= urls.keys()
    assert named or "unreleased" in newest
    cited = yaml.safe_load(read("CITATION.cff")).get("repository-code")
    assert cited == urls.get("Repository")
