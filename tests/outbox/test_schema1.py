"""Records of schema 1 as schema 2 has them."""

from __future__ import annotations

import pytest

from pipeline.outbox import NoRecord, record_of, strange_in
from pipeline.outbox.schema1 import record_as_now

COLLECTION = {"schema": 1, "job": "j", "source": "a.txt", "status": "collection", "files": []}


@pytest.mark.parametrize("names", [("claimed", "unverified"), ("unverified", "claimed")])
def test_a_field_under_both_its_names_hides_nothing(names):
    counts = dict.fromkeys(names, 5) | {"claimed": 99}
    told = record_as_now(COLLECTION | {"certificate": {"solutions": "checked", **counts}})
    assert told["certificate"] == {"solutions": "checked", **counts}
    known = {"certificate": {"solutions": "", "unverified": 0}}
    assert [*strange_in({"certificate": told["certificate"]}, known)] == ["certificate.claimed"]


def test_a_rule_with_both_texts_is_refused():
    rule = {"number": 1, "told": "cage", "text": "another"}
    told = COLLECTION | {"status": "unsolvable", "conflict_rules": [rule]}
    with pytest.raises(NoRecord, match="unknown field `told`"):
        record_of(record_as_now(told))
