"""Convert records and rows from schema 1, which versions before 1.0 wrote, to schema 2.

Schema 2 only renames values and fields: the certificate `claimed` is now `unverified`, `exhaustion`
is `exhaustive-search`, the solver `lanes` is `batch`, and the field `told` of a rule is `text`.
Logs are not converted, because no program reads them.
"""

from __future__ import annotations

import re
from typing import Any, Final

from msgspec import Struct

CERTIFICATES: Final = {"claimed": "unverified", "exhaustion": "exhaustive-search"}
"""Certificate in schema 1 → certificate in schema 2."""

SOLVERS: Final = {"lanes": "batch", "exhaustion": "exhaustive-search"}
"""Solver in schema 1 → solver in schema 2."""

_FIELD = r'(?:"(?:[^"]|"")*"|[^,"]*)'
"""Matches a field of CSV."""


def upgrade_record(fields: dict[str, Any]) -> dict[str, Any]:
    """Convert the JSON object of a record from schema 1 to schema 2.

    Values of unexpected types remain unchanged: `record_of` rejects them.
    """
    record = dict(fields)
    if isinstance(certificate := record.get("certificate"), dict):
        certificate = _rename_fields(certificate, CERTIFICATES)
        for name in ("complete", "by"):
            _rename_value(certificate, name, CERTIFICATES)
        record["certificate"] = certificate
    if isinstance(solver := record.get("solver"), dict):
        record["solver"] = solver = dict(solver)
        _rename_value(solver, "name", SOLVERS)
    for name in ("conflict_rules", "redundant_rules"):
        if isinstance(rules := record.get(name), list):
            record[name] = [_upgrade_rule(rule) for rule in rules]
    if isinstance(fallbacks := record.get("fallbacks"), list):
        record["fallbacks"] = [_upgrade_fallback(fallback) for fallback in fallbacks]
    return record


def _rename_value(fields: dict[str, Any], name: str, new_values: dict[str, str]) -> None:
    """Replace the value of a field, in place, if `new_values` maps it to a new value."""
    value = fields.get(name)
    if isinstance(value, str):
        fields[name] = new_values.get(value, value)


def _rename_fields(fields: dict[str, Any], new_names: dict[str, str]) -> dict[str, Any]:
    """Rename fields. A field keeps its name if there is also a field with the new name."""
    return {
        name if new_names.get(name) in fields else new_names.get(name, name): value
        for name, value in fields.items()
    }


def _upgrade_rule(rule: Any) -> Any:
    if not isinstance(rule, dict):
        return rule
    return _rename_fields(rule, {"told": "text"})


def _upgrade_fallback(fallback: Any) -> Any:
    if not isinstance(fallback, dict):
        return fallback
    fallback = dict(fallback)
    _rename_value(fallback, "solver", SOLVERS)
    return fallback


def upgrade_row(line: str, row_class: type[Struct]) -> str:
    """Convert the certificate and message in a row of a table from schema 1 to schema 2."""
    names = row_class.__struct_fields__
    fields_before = names.index("certificate")
    fields_between = names.index("message") - fields_before - 1
    match = re.match(
        rf"((?:{_FIELD},){{{fields_before}}})(claimed|exhaustion)"
        rf"((?:,{_FIELD}){{{fields_between}}})(,{_FIELD})",
        line,
    )
    if match is None:
        return line
    head, certificate, fields, message = match.groups()
    if certificate == "claimed":
        message = re.sub(r'(^,"?|; )claimed: ', r"\1unverified: ", message, count=1)
    return head + CERTIFICATES[certificate] + fields + message + line[match.end() :]
