"""What lies in an outbox: the description shared by its writer, the audit and the report.

`schema` has the records and the statuses, `tables` the tables, `names` the names of sets, files
and originals, `events` the lines of logs. `reading` reads records safely.
"""

from pipeline.outbox.load import (
    ENDING,
    NoRecord,
    file_names,
    hashes_in,
    load_record,
    load_told,
    read_record,
    record_of,
    strange_in,
)
from pipeline.outbox.schema import ManyRecord, PuzzleRecord, Record, json_schema

__all__ = [
    "ENDING",
    "ManyRecord",
    "NoRecord",
    "PuzzleRecord",
    "Record",
    "file_names",
    "hashes_in",
    "json_schema",
    "load_record",
    "load_told",
    "read_record",
    "record_of",
    "strange_in",
]
