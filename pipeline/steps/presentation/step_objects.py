"""Steps as JSON objects."""

from __future__ import annotations

from typing import Any

from pipeline.steps.presentation.picture import picture_of
from pipeline.steps.presentation.words import unit_names, with_commas
from pipeline.steps.step import Branch, Candidate, Cited, Inference, Node, Position, Step


def technique_object(step: Step) -> dict[str, Any]:
    """The technique of a step, with its level and its ratings: the first part of a hint."""
    technique = step.technique
    return {
        "technique": technique.name,
        "level": technique.level_name,
        "score": technique.score,
        "rating": step.rating or None,
    }


def place_object(step: Step) -> dict[str, Any]:
    """The units of a step, or its cells if it has none: the second part of a hint."""
    units, cells = place_of(step)
    return {
        "units": [step.before.unit_names[unit] for unit in units],
        "cells": [step.before.name_of(cell) for cell in cells],
    }


def place_of(step: Step) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The units of a step; if it has none, no units and the cells of its pattern or its start."""
    if step.units:
        return step.units, ()
    if step.cells:
        return (), step.cells
    if step.chain:
        return (), tuple(dict.fromkeys(cell for node in step.chain for cell in node.cells))
    if step.branches:
        assumed = (cell for branch in step.branches for cell in branch.assumption.cells)
        return (), tuple(dict.fromkeys(assumed))
    return (), tuple(dict.fromkeys(cell for cell, _ in (*step.placed, *step.eliminated)))


def place_text(step: Step) -> str:
    """The units of a step, or the cells of `place_of`, in words."""
    units, cells = place_of(step)
    if units:
        return unit_names(step.before, units, is_line=True)
    return with_commas(map(step.before.name_of, cells))


def step_object(step: Step) -> dict[str, Any]:
    """A step with its reason, pattern, branches and position. Cells are named as `r1c2`."""
    position, picture = step.before, picture_of(step)
    return {
        "text": str(step),
        **technique_object(step),
        "reason": step.reason,
        "placed": [_candidate(position, candidate) for candidate in step.placed],
        "eliminated": [_candidate(position, candidate) for candidate in step.eliminated],
        "values": [*step.values],
        "cells": [*map(position.name_of, step.cells)],
        "units": [position.unit_names[unit] for unit in step.units],
        "cover": [position.unit_names[unit] for unit in step.cover],
        "fins": [*map(position.name_of, step.fins)],
        "chain": [_node(position, node) for node in step.chain],
        "links": [
            {
                "start": _node(position, link.start),
                "end": _node(position, link.end),
                "strong": link.is_strong,
            }
            for link in picture.links
        ],
        "roles": [
            {**_candidate(position, candidate), "role": role.value}
            for candidate, role in sorted(picture.roles.items())
        ],
        "cited": [_cited(position, cited) for cited in step.cited],
        "branches": [_branch(position, branch) for branch in step.branches],
        "before": {
            "values": [*position.values],
            "candidates": [[*position.values_in(cell)] for cell in range(len(position.values))],
        },
    }


def _candidate(position: Position, candidate: Candidate) -> dict[str, int]:
    cell, value = candidate
    row, column = position.geometry.place(cell)
    return {"row": row, "column": column, "value": value}


def _node(position: Position, node: Node) -> dict[str, Any]:
    cells = [*map(position.name_of, node.cells)]
    return {"value": node.value, "cells": cells, "holds": node.holds}


def _cited(position: Position, cited: Cited) -> dict[str, Any]:
    """A constraint: a cell, a value in a unit, or a rule."""
    if cited.rule:
        return {"rule": cited.rule, "cells": [*map(position.name_of, cited.cells)]}
    if cited.unit is not None:
        return {"value": cited.value, "unit": position.unit_names[cited.unit]}
    return {"cell": position.name_of(cited.cells[0])}


def _branch(position: Position, branch: Branch) -> dict[str, Any]:
    return {
        "assumption": _node(position, branch.assumption),
        "ends": branch.ends,
        "inferences": [_inference(position, inference) for inference in branch.inferences],
    }


def _inference(position: Position, inference: Inference) -> dict[str, Any]:
    return {
        **_node(position, inference.node),
        "premises": [*inference.premises],
        "because": _cited(position, inference.because) if inference.because else None,
        "branches": [_branch(position, branch) for branch in inference.branches],
    }
