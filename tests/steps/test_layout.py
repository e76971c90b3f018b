"""The layout of arrays."""

from __future__ import annotations

import ast
import inspect
from collections import Counter

from pipeline.steps import layout


def test_no_name_of_the_layout_is_defined_twice():
    stores = Counter(
        node.id
        for node in ast.walk(ast.parse(inspect.getsource(layout)))
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    )
    assert [name for name, count in stores.items() if count > 1] == []
