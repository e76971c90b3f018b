"""What is in `deploy/`, and the Containerfile: taken by those who read them, and doing as they say.

The image itself is tried by `.ci/run` where a builder can fetch its base.
"""

from __future__ import annotations

import inspect
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tomllib
from dataclasses import fields
from itertools import chain
from pathlib import Path

import pytest
import yaml
from support.drop_folders import SMALL, SMALL_SOLVED, wait_for
from support.forks import Forked
from support.pages import check_options

from pipeline.cli.commands import serve
from pipeline.option import ENVIRONMENT_PREFIX, environment_name
from pipeline.settings import Settings

ROOT = Path(__file__).parents[1]
UNIT = ROOT / "deploy" / "sudoku-pipeline.service"
PASS, TIMER = (UNIT.with_name(f"sudoku-pipeline-run.{kind}") for kind in ("service", "timer"))
BUILDER = os.environ.get("IMAGE_BUILDER")
"""The command that has built the image `sudoku-pipeline`, and can run it."""


def test_what_the_package_imports_is_declared() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    users = (each for name, each in extras.items() if name not in ("docs", "test", "dev"))
    needed = [*project["dependencies"], *chain(*users)]
    declared = {re.split(r"[^\w-]", each, maxsplit=1)[0].replace("-", "_") for each in needed}
    # by other names, or brought along
    modules = {"pysat": "python_sat", "pysolvers": "python_sat", "llvmlite": "numba"}
    imports = re.compile(r"^ *(?:from|import) (\w+)", re.MULTILINE)
    found = {
        name
        for path in (ROOT / "pipeline").rglob("*.py")
        for name in imports.findall(re.sub('""".*?"""', "", path.read_text(), flags=re.DOTALL))
    }
    foreign = found - sys.stdlib_module_names - {"pipeline", "_typeshed"}  # for mypy alone
    assert {modules.get(name, name) for name in foreign} <= declared


@pytest.mark.skipif(
    shutil.which("systemd-analyze") is None and os.environ.get("CI") != "true",
    reason="systemd-analyze is not installed",
)
@pytest.mark.parametrize("unit", [UNIT, PASS, TIMER], ids=lambda unit: unit.name)
def test_systemd_accepts_the_unit(unit) -> None:
    verified = subprocess.run(
        ["systemd-analyze", "verify", str(unit)], capture_output=True, text=True, check=False
    )
    assert (verified.returncode, verified.stderr) == (0, "")


def test_the_unit_is_started_again_after_a_failure() -> None:
    assert "Restart=on-failure" in UNIT.read_text()


def lines_of(unit: Path) -> set[str]:
    return {line for line in unit.read_text().splitlines() if line and line[0] not in "#["}


def test_a_pass_that_the_timer_starts_is_confined_as_the_service_is() -> None:
    watching, passing = lines_of(UNIT), lines_of(PASS)
    about_the_kind = ("Description=", "ExecStart=", "Type=", "Restart", "StartLimit", "WantedBy=")
    assert {line for line in watching - passing if not line.startswith(about_the_kind)} == set()
    assert "Type=oneshot" in passing
    assert TIMER.stem == PASS.stem, "it starts the service of its own name"


def commands_in(text: str) -> list[str]:
    """The commands that set the service up, in order, wherever they are written."""
    words = r"(?:useradd|python3 -m venv /opt/|/opt/\S+/pip|install -d|cp deploy/|systemctl enable)"
    found = re.findall(rf"{words}[^&\n]*", text)
    return [each.strip() for each in found if "sudoku-pipeline-run" not in each]


def test_the_page_of_the_service_sets_it_up_as_the_unit_says() -> None:
    page = ROOT / "docs" / "how-to" / "service.md"
    shown, told = (commands_in(each.read_text()) for each in (page, UNIT))
    assert len(shown) == 6
    assert told == shown


@pytest.mark.parametrize(("unit", "command"), [(UNIT, "watch"), (PASS, "run")])
def test_a_unit_runs_a_command_with_options_that_it_has(unit, command) -> None:
    (line,) = (each for each in lines_of(unit) if each.startswith("ExecStart="))
    _, program, *arguments = shlex.split(line.partition("=")[2])
    assert (program, arguments[0]) == ("sudoku-pipeline", command)
    check_options(arguments)


def test_a_pass_that_did_not_go_well_is_a_failed_unit() -> None:
    """Exit code 1 also means that there is no inbox, and how Python ends after a bug."""
    assert not [line for line in lines_of(PASS) if line.startswith("SuccessExitStatus=")]


COMPOSE = yaml.safe_load((ROOT / "deploy" / "compose.yaml").read_text())


def test_the_compose_file_builds_the_image_of_the_containerfile_and_mounts_its_folders() -> None:
    volumes = {*json.loads(*told("VOLUME")), "/cache"}
    for service in COMPOSE["services"].values():
        build = service["build"]
        assert (ROOT / "deploy" / build["context"] / build["dockerfile"]).samefile(
            ROOT / "Containerfile"
        )
        mounts = dict(each.split(":") for each in service["volumes"])
        assert set(mounts.values()) == volumes
        assert {each for each in mounts if each[0] != "."} == COMPOSE["volumes"].keys()
        written = {f"/{Path(each.partition(':')[0]).name}" for each in service["tmpfs"]} | volumes
        assert {"/metrics", "/tmp"} | volumes == written, "the rest may only be read"
        assert service["read_only"] is True
        assert re.fullmatch(r"\$\{USER_ID:-[1-9]\d*\}:\$\{GROUP_ID:-[1-9]\d*\}", service["user"])


def test_the_services_of_the_compose_file_run_commands_with_options_that_they_have() -> None:
    for service in COMPOSE["services"].values():
        check_options(service.get("command", json.loads(*told("CMD"))))


def test_the_page_of_the_compose_file_is_for_this_machine_alone_and_only_if_asked_for() -> None:
    page = COMPOSE["services"]["page"]
    default = str(inspect.signature(serve).parameters["port"].default)
    assert page["ports"] == [f"127.0.0.1:{default}:{default}"]
    assert page["profiles"] == ["page"]
    assert COMPOSE["services"]["watch"]["network_mode"] == "none"


def instructions() -> list[tuple[str, str]]:
    """Each instruction of the Containerfile, with what follows it, in one line."""
    text = re.sub(r"^#.*\n", "", (ROOT / "Containerfile").read_text(), flags=re.MULTILINE)
    joined = text.replace("\\\n", "").splitlines()
    return [
        (word, rest.strip()) for word, _, rest in (line.partition(" ") for line in joined if line)
    ]


def told(word: str) -> list[str]:
    """What follows each instruction of that name in the last stage."""
    found = instructions()
    last = max(place for place, (each, _) in enumerate(found) if each == "FROM")
    return [rest for each, rest in found[last:] if each == word]


def test_all_that_the_image_is_made_of_is_there_and_not_ignored() -> None:
    ignored = (ROOT / ".dockerignore").read_text().splitlines()
    copied = [rest.split()[:-1] for word, rest in instructions() if word == "COPY"]
    sources = {name for names in copied for name in names if "--from=build" not in names}
    assert sources == {line.removeprefix("!") for line in ignored if line.startswith("!")}
    assert all((ROOT / name).exists() for name in sources)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    in_the_wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    needed = {project["project"]["readme"], *project["project"]["license-files"], "pipeline"}
    assert needed | {*in_the_wheel} < sources


def test_the_workflow_runs_what_every_commit_has_to_pass() -> None:
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text())
    (job,) = workflow["jobs"].values()
    assert job["steps"][-1] == {"run": ".ci/run"}
    assert workflow["permissions"] == {"contents": "read"}


def test_every_dependency_and_extra_is_in_the_table_of_dependencies() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    page = (ROOT / "docs" / "explanation" / "dependencies.md").read_text()
    extras = project["optional-dependencies"]
    users = {name: each for name, each in extras.items() if name not in ("docs", "test", "dev")}
    for needed in chain(project["dependencies"], *users.values()):
        name = re.split(r"[^\w-]", needed, maxsplit=1)[0]
        assert re.search(rf"^\|[\w, -]*\b{name}\b", page, re.MULTILINE), name
    assert {*re.findall(r"`\[(\w+)\]`", page)} == {*extras}


def test_the_image_is_run_by_a_user_who_is_not_root() -> None:
    (user,) = told("USER")
    assert all(int(number) > 0 for number in user.split(":"))


def test_the_image_watches_in_good_health_until_it_is_stopped(tmp_path) -> None:
    """With the very words of the Containerfile, but for where the folders are."""
    for name in ("inbox", "outbox", "metrics"):
        (tmp_path / name).mkdir()

    def placed(text: str) -> str:
        return re.sub(r"/(inbox|outbox|metrics)\b", rf"{tmp_path}/\1", text)

    program, *arguments = [
        placed(each) for word in ("ENTRYPOINT", "CMD") for each in json.loads(*told(word))
    ]
    (settings,) = (dict(each.split("=", 1) for each in shlex.split(line)) for line in told("ENV"))
    named = {environment_name(field.name) for field in fields(Settings)}
    variables = {name: placed(value) for name, value in settings.items() if name in named}
    (check,) = (json.loads(line.partition(" CMD ")[2]) for line in told("HEALTHCHECK"))

    def is_healthy() -> bool:
        return subprocess.run([*map(placed, check)], stderr=-3, check=False).returncode == 0

    assert program == "sudoku-pipeline"
    assert {name for name in settings if name.startswith(ENVIRONMENT_PREFIX)} == set(variables)
    assert not is_healthy()
    kept = {key: value for key, value in os.environ.items() if "SUDOKU_PIPELINE_" not in key}
    out = tmp_path / "out"
    watch = Forked.command(arguments, out, out, kept | variables)
    try:
        wait_for(is_healthy)
        (tmp_path / "dropped").write_text(SMALL)
        (tmp_path / "dropped").rename(tmp_path / "inbox" / "a.txt")
        wait_for((tmp_path / "outbox" / "a.json").exists)
        watch.send_signal(signal.SIGTERM)
        assert watch.wait(60) == 0
    finally:
        watch.kill()
    long_ago = (tmp_path / "metrics").stat().st_mtime - 600
    os.utime(tmp_path / "metrics" / "sudoku-pipeline.prom", (long_ago, long_ago))
    assert not is_healthy()


@pytest.mark.skipif(BUILDER is None, reason="no image is built: IMAGE_BUILDER is not set")
def test_the_built_image_solves_what_is_dropped_and_ends_well_when_stopped(tmp_path) -> None:
    def builder(*arguments: str) -> str:
        done = subprocess.run(
            [*shlex.split(BUILDER or ""), *arguments], capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    volumes = []
    for name in ("inbox", "outbox"):
        (tmp_path / name).mkdir()
        (tmp_path / name).chmod(0o777)
        volumes += ["--volume", f"{tmp_path / name}:/{name}"]
    container = builder("run", "--detach", *volumes, "sudoku-pipeline").splitlines()[-1]
    try:
        (tmp_path / "dropped").write_text(SMALL)
        (tmp_path / "dropped").rename(tmp_path / "inbox" / "a.txt")
        wait_for((tmp_path / "outbox" / "a.json").exists)
        assert (tmp_path / "outbox" / "a_1.solution").read_text() == SMALL_SOLVED
        assert (
            json.loads((tmp_path / "outbox" / "a.json").read_text())["solver"]["name"] == "minisat"
        )
        assert builder("exec", container, "id", "-u") == "1000"
        assert "ready" in builder("exec", container, "sudoku-pipeline", "doctor")
        check = "{{json .Config.Healthcheck.Test}}"
        (_, *words) = json.loads(builder("inspect", "--format", check, container))
        builder("exec", container, *words)
        builder("stop", container)
        assert builder("inspect", "--format", "{{.State.ExitCode}}", container) == "0"
    finally:
        builder("rm", "--force", container)
