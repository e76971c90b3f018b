"""What lies in an outbox: the description shared by its writer, the audit and the report.

`schema` has the records and the statuses, `tables` the tables, `names` the names of sets and files,
`events` the lines of logs. `load` reads records safely, `originals` finds the original of a record,
`claims` reads claims of completeness again.
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
