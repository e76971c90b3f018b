"""Every field, column, status and log event is described."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import get_args

from support.cases import for_each
from support.commands import run

import pipeline
from pipeline.outbox.events import COMMON_FIELDS, EVENTS, FIELDS, STDERR
from pipeline.outbox.schema import REFUSED, STATUSES, WITH_TOTALS
from pipeline.outbox.tables import TABLES, MemberRow, columns
from pipeline.solving.result import Stage, Status

ROOT = Path(__file__).parents[2]
EVENT = r"[a-z]+\.[a-z_]+"
LOGGED = ("debug", "info", "warning", "error", "log")


def test_schema_prints_the_json_schema_of_the_record():
    code, printed, _ = run("schema")
    schema = json.loads(printed)
    one, many = (schema["$defs"][each["$ref"].rpartition("/")[2]] for each in schema["oneOf"])
    assert code == 0
    assert one["properties"]["box"]["description"].startswith("height and width of a box")
    assert {"job", "source", "status", "files"} <= {*one["required"]} & {*many["required"]}
    assert {*many["properties"]["status"]["enum"]} == {*WITH_TOTALS}


def test_every_status_is_described():
    assert set(STATUSES) == {*get_args(Status), *WITH_TOTALS, REFUSED}


@for_each("kind", [kind for kind in TABLES if kind is not MemberRow])  # of earlier versions
def test_the_page_of_what_comes_out_has_the_columns_of_every_table(kind):
    page = (ROOT / "docs" / "reference" / "outbox.md").read_text()
    assert f"`{','.join(columns(kind))}`" in page


def logs(func):
    """Whether what is called is a method of a log, or one of two."""
    match func:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name in LOGGED
        case ast.IfExp(body=body):
            return logs(body)
    return False


def is_event(text):
    return re.fullmatch(EVENT, text) is not None


def logged():
    """Every call in the package that logs an event: its name, and the fields that it names."""
    for path in sorted(Path(pipeline.__file__).parent.rglob("*.py")):
        text = path.read_text()
        if not re.search(rf'"{EVENT}"', text):
            continue  # spare_claims most of the time
        for node in ast.walk(ast.parse(text)):
            match node:
                case ast.Call(func, [ast.Constant(str(event))]) if is_event(event) and logs(func):
                    yield event, {each.arg for each in node.keywords}
                case ast.Call(
                    ast.Attribute(attr="log_error" | "_emit" | "log_once"),
                    [ast.Constant(str(event)), *_],
                ) if is_event(event):
                    yield event, {"source", "reason"}


def test_every_event_that_is_logged_is_described_with_its_fields():
    calls = [*logged()]
    silent = {"job.claimed", *(name for name in EVENTS if name.startswith("stage."))}
    assert {event for event, _ in calls} == set(EVENTS) - silent
    for event, fields in calls:
        assert STDERR in EVENTS[event].places, event
        assert fields - {None} <= {*EVENTS[event].fields, *COMMON_FIELDS}, event


def test_every_stage_has_its_event_and_every_field_of_an_event_is_described():
    stages = {f"stage.{stage}" for stage in (*get_args(Stage), "batch")}
    assert stages == {name for name in EVENTS if name.startswith("stage.")}
    assert {*COMMON_FIELDS, *(each for event in EVENTS.values() for each in event.fields)} == set(
        FIELDS
    )
