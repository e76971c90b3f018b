"""`doctor --formats`: all formats that are read, and all notations that are written."""

from __future__ import annotations

import json

from support.commands import run

from pipeline.reading.formats import FORMAT_NAMES, FORMATS
from pipeline.service.converting import NAMES


def test_every_format_is_listed_for_reading_and_writing():
    code, printed, said = run("doctor", "--formats")
    header, *lines, _ = printed.splitlines()
    rows = {line.split()[0]: line.split()[1:3] for line in lines}
    assert (code, said, header.split()[:3]) == (0, "", ["name", "--format", "--to"])
    assert {name for name, (reads, _) in rows.items() if reads != "-"} == {*FORMAT_NAMES}
    assert {name for name, (_, writes) in rows.items() if writes != "-"} == {*NAMES}
    assert rows["grid"] == ["one", "many"]
    assert rows["lines"] == ["many", "many"]
    assert rows["png"] == ["-", "one"]
    assert {known.name for known in FORMATS} <= rows.keys()
    assert max(map(len, lines)) <= 100


def test_the_formats_as_json():
    code, printed, _ = run("doctor", "--formats", "--json")
    (drawing,) = (row for row in map(json.loads, printed.splitlines()) if row["name"] == "svg")
    assert (code, drawing) == (
        0,
        {
            "name": "svg",
            "reads": None,
            "writes": "one",
            "endings": [".svg"],
            "meaning": "a picture",
        },
    )
