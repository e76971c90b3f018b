"""Convert records and rows of schema 1, which versions before 1.0 wrote, to schema 2.

Schema 2 only renames values and fields: the certificate `claimed` is now `unverified`, `exhaustion`
is `exhaustive-search`, the solver `lanes` is `batch`, and the field `told` of a rule is `text`.
Logs are not converted, because no program reads them.
"""

from __future__ import annotations

import re
from typing import Any, Final

from msgspec import Struct

CERTIFICATES: Final = {"claimed": "unverified", "exhaustion": "exhaustive-search"}
SOLVERS: Final = {"lanes": "batch", "exhaustion": "exhaustive-search"}
"""Map names of schema 1 to names of schema 2."""

_FIELD = r'(?:"(?:[^"]|"")*"|[^,"]*)'
"""Matches a field of CSV."""


def upgrade_record(fields: dict[str, Any]) -> dict[str, Any]:
    """Convert the JSON object of a record from schema 1 to schema 2.

    Values of unexpected types remain unchanged: the reader of the record rejects them.
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


def _rename_value(fields: dict[str, Any], name: str, words: dict[str, str]) -> None:
    """Replace the value of a field, in place, if it is one of `words`."""
    value = fields.get(name)
    if isinstance(value, str):
        fields[name] = words.get(value, value)


def _rename_fields(fields: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    """The fields with their new names. A former name remains if the new name also occurs."""
    return {
        name if names.get(name) in fields else names.get(name, name): value
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
    before, between = names.index("certificate"), names.index("message")
    between -= before + 1
    match = re.match(
        rf"((?:{_FIELD},){{{before}}})(claimed|exhaustion)((?:,{_FIELD}){{{between}}})(,{_FIELD})",
        line,
    )
    if match is None:
        return line
    head, certificate, fields, message = match.groups()
    if certificate == "claimed":
        message = re.sub(r'(^,"?|; )claimed: ', r"\1unverified: ", message, count=1)
    return head + CERTIFICATES[certificate] + fields + message + line[match.end() :]
