"""Settings: what each option may be, and that nothing else gets in."""

from __future__ import annotations

import dataclasses
import math

import pytest
import typer

from pipeline import Settings, UsageError
from pipeline.cli.options import Command, takes
from pipeline.option import environment_name
from pipeline.settings import settings_declared

NUMBERS = {
    "max_solutions": (1, 10**9),
    "timeout": (0.001, 10**6),
    "memory_limit": (64, 10**7),
    "max_bytes": (1, 2**40),
    "settle": (0, 10**6),
    "grace": (0, 10**6),
}
CHOICES = ("solver", "variant", "encoding", "log_format")
OUTSIDE = [math.nan, math.inf, -math.inf, 1e300, 10**400, -1]


def test_the_defaults_are_those_of_the_design():
    known = dataclasses.asdict(Settings())
    expected = {
        "solver": "auto",
        "minisat": None,
        "encoding": "reduced",
        "max_solutions": None,
        "timeout": 60,
        "memory_limit": 4096,
        "max_bytes": 64 * 1024 * 1024,
        "variant": "auto",
        "trust_solver": False,
    }
    assert expected.items() <= known.items()
    assert (Settings().solution_limit, Settings().for_collection().solution_limit) == (100, 2)
    assert (str(known["inbox"]), str(known["outbox"])) == ("inbox", "outbox")


@pytest.mark.parametrize(("name", "ends"), NUMBERS.items(), ids=NUMBERS)
def test_the_ends_of_a_range_belong_to_it(name, ends):
    for end in ends:
        assert getattr(Settings(**{name: end}), name) == end


@pytest.mark.parametrize("name", NUMBERS)
def test_a_number_that_is_none_or_out_of_range_is_a_usage_error(name):
    flag = "--" + name.replace("_", "-")
    least, most = NUMBERS[name]
    outside = (math.nextafter(least, -math.inf), math.nextafter(most, math.inf))
    for value in (*OUTSIDE, *outside):
        with pytest.raises(UsageError, match=f"^{flag}: expected .* to "):
            Settings(**{name: value})


@pytest.mark.parametrize("value", ["", "AUTO", "other", None])
@pytest.mark.parametrize("name", CHOICES)
def test_a_choice_that_there_is_not_is_a_usage_error_that_names_those_there_are(name, value):
    flag = "--" + name.replace("_", "-")
    with pytest.raises(UsageError, match=f"^{flag}: expected one of .*, "):
        Settings(**{name: value})


def test_settings_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        Settings().timeout = 1


def test_the_twin_of_an_option_is_its_name_in_capitals():
    assert environment_name("max-solutions") == "SUDOKU_PIPELINE_MAX_SOLUTIONS"
    assert environment_name("max_solutions") == "SUDOKU_PIPELINE_MAX_SOLUTIONS"


@pytest.mark.parametrize("address", ["tcp://a.b:8786", "tls://[::1]:8786", "local:1", "local:12"])
def test_a_cluster_is_a_scheduler_or_so_many_processes_here(address):
    assert Settings(cluster=address).cluster == address
    assert Settings(cluster=address).output_key == Settings().output_key


@pytest.mark.parametrize(
    "address",
    [
        "",
        "a.b:8786",
        "tcp://a.b",
        "tcp://:8786",
        "tcp://a.b:65536",
        "tcp://a:b:1",
        "http://a.b:1",
        "local",
        "local:0",
        "local:1025",
    ],
)
def test_what_is_no_cluster_is_refused(address):
    with pytest.raises(UsageError, match="--cluster"):
        Settings(cluster=address)


def test_another_process_gets_the_same_settings_by_the_environment(tmp_path, monkeypatch):
    """Whatever its environment and the settings file of its folder say."""
    given = Settings(
        inbox=tmp_path / "in box",
        max_solutions=3,
        timeout=0.25,
        memory_limit=100,
        keep_cnf=True,
        traits="minimal",
        on_done="tell 'me'",
    )
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sudoku-pipeline.toml").write_text("report = true\n")
    monkeypatch.setenv("SUDOKU_PIPELINE_METRICS", "elsewhere")
    for settings in (given, Settings()):
        for name, value in settings.variables.items():
            monkeypatch.setenv(name, value)
        taken = []

        @takes(*settings_declared())
        def command(settings: Settings) -> None:
            """Keep the settings."""
            taken.append(settings)  # noqa: B023 - it is called in this turn

        app = typer.Typer()
        app.command(cls=Command)(command)
        app([], standalone_mode=False)
        assert taken == [settings]


def test_ratings_are_not_asked_for_where_nothing_is_proved():
    with pytest.raises(UsageError, match="--traits rating"):
        Settings(traits="effort,rating", trust_solver=True)
