"""The layout of arrays."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

from pipeline.steps import layout


def test_no_name_stands_for_two_offsets():
    tree = ast.parse(Path(layout.__file__).read_text())
    targets = [t for node in ast.walk(tree) if isinstance(node, ast.Assign) for t in node.targets]
    names = Counter(
        name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)
    )
    assert not [name for name, count in names.items() if count > 1]
