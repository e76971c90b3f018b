"""Words for the parts of a step: cells, units, candidates, branches.

`Words` has the placeholders of the templates in `wording`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter

from pipeline.steps.presentation.branching import excludes
from pipeline.steps.step import (
    CONTRADICTION,
    UNIQUENESS,
    Branch,
    Candidate,
    Cited,
    Inference,
    Node,
    Position,
    Step,
)

_UNIT_NAME = re.compile(r"(?P<kind>[a-z]+) (?P<number>\d+)")
_CELL_NAME = re.compile(r"r\d+c\d+")
_PLURALS = {"box": "boxes"}


def listed(words: Iterable[object], last: str = "and") -> str:
    """Words in a sentence: `4`, `4 and 7`, `3, 4 and 9`."""
    *rest, end = [*map(str, words)] or [""]
    return f"{', '.join(rest)} {last} {end}" if rest else end


def with_commas(words: Iterable[object]) -> str:
    """Words in the line of a step: `3,4,9`."""
    return ",".join(map(str, words))


def unit_names(position: Position, units: Iterable[int], *, is_line: bool = False) -> str:
    """Units by kind and number: `row 4`, `columns 3 and 8`, `row 1 and box 2`.

    `is_line`: as in the line of a step, `columns 3,8`.
    """
    join = with_commas if is_line else listed
    kinds: dict[str, list[str]] = {}
    for name in (position.unit_names[unit] for unit in units):
        match = _UNIT_NAME.fullmatch(name)
        kinds.setdefault(match["kind"] if match else name, []).append(
            match["number"] if match else ""
        )
    texts = []
    for kind, numbers in kinds.items():
        if numbers == [""]:
            texts.append(f"the {kind}")
        elif len(numbers) == 1:
            texts.append(f"{kind} {numbers[0]}")
        else:
            texts.append(f"{_PLURALS.get(kind, f'{kind}s')} {join(numbers)}")
    return " and ".join(texts)


def spot_name(position: Position, cells: Sequence[int]) -> str:
    """A cell, or a group of cells in a line: `r1c2`, `r1c23`, `r45c2`."""
    names = [position.name_of(cell) for cell in cells]
    places = [position.geometry.place(cell) for cell in cells]
    rows, columns = ({*axis} for axis in zip(*places, strict=True))
    is_short = position.geometry.side <= 9 and len(rows) * len(columns) == len(cells)
    if len(names) == 1 or not is_short:
        return "/".join(names)
    return f"r{''.join(map(str, sorted(rows)))}c{''.join(map(str, sorted(columns)))}"


def node_name(position: Position, node: Node) -> str:
    """What a node says: `r1c2=5`, `r1c2≠5`, `5 in r1c2 or r1c3`."""
    if len(node.cells) == 1:
        return f"{position.name_of(node.cells[0])}{'=' if node.holds else '≠'}{node.value}"
    cells = listed(map(position.name_of, node.cells), "or")
    return f"{node.value} in {cells}" if node.holds else f"{node.value} not in {cells}"


def eliminations(position: Position, struck: Iterable[Candidate]) -> str:
    """Candidates by value, as in the line of a step: `2 from r1c2,r1c3, 3 from r1c3`."""
    by_value = groupby(sorted(struck, key=itemgetter(1)), key=itemgetter(1))
    return ", ".join(
        f"{value} from {with_commas(position.name_of(cell) for cell, _ in candidates)}"
        for value, candidates in by_value
    )


def possible_only(position: Position, cited: Cited) -> str:
    """Where a value is possible: `in row 4, 7 is possible only in r4c1 and r4c8`."""
    places = listed(position.name_of(cell) for cell, _ in cited.candidates(position))
    return f"in {cited_name(position, cited)}, {cited.value} is possible only in {places}"


def cited_name(position: Position, cited: Cited) -> str:
    """The cell, the unit, or the rule."""
    if cited.rule:
        return cited.rule
    if cited.unit is not None:
        return unit_names(position, [cited.unit])
    return listed(map(position.name_of, cited.cells))


def capital(text: str) -> str:
    """The text with a capital first letter, unless it begins with the name of a cell."""
    return text if _CELL_NAME.match(text) else text[:1].upper() + text[1:]


def contradiction_text(position: Position, branch: Branch) -> str:
    """The contradiction in which a branch ends: `5 would have no place in row 3`."""
    last = branch.inferences[-1]
    cited = last.because
    if cited and cited.rule:
        is_unique = cited.rule == UNIQUENESS
        subject = "the solution" if is_unique else f"the rule {cited.rule}"
        return f"{subject} would {'not be unique' if is_unique else 'be broken'}"
    if cited and cited.value:
        return f"{cited.value} would have no place in {cited_name(position, cited)}"
    if cited:
        return f"{cited_name(position, cited)} would have no candidate"
    cell, value = last.node.cells[0], last.node.value
    if not last.premises:
        return f"{node_name(position, last.node)} would be both true and false"
    premise = branch.inferences[last.premises[0]].node
    if cell in premise.cells:
        return f"{position.name_of(cell)} would hold both {premise.value} and {value}"
    names = listed([*map(position.name_of, premise.cells), position.name_of(cell)])
    return f"{names}, which see each other, would both hold {value}"


def branch_lines(position: Position, branch: Branch, indent: str = "") -> Iterator[str]:
    """A branch as lines, nested branches indented.

    Nodes that do not hold are named where they are needed.
    """
    yield f"{indent}if {node_name(position, branch.assumption)}:"
    indent += "  "
    last = branch.inferences[-1]
    for inference in branch.inferences[1:]:
        is_needed_later = not inference.node.holds and inference is not last
        if inference.branches:
            yield f"{indent}{node_name(position, inference.node)}, because otherwise:"
            for nested in inference.branches:
                yield from branch_lines(position, nested, indent + "  ")
        elif not is_needed_later and (inference.because or inference.premises):
            is_end = inference is last and branch.ends == CONTRADICTION
            if is_end:
                details = _details(position, branch, inference)
                yield (
                    f"{indent}contradiction: {contradiction_text(position, branch)}"
                    f"{f': {details}' if details else ''}"
                )
            else:
                yield f"{indent}{_inference_text(position, branch, inference)}"


def _inference_text(position: Position, branch: Branch, inference: Inference) -> str:
    """An inference and its reason: `r3c2=9: the only candidate left; not 2 (r1c2=2)`."""
    name = node_name(position, inference.node)
    cited = inference.because
    if cited is None:
        causes = [branch.inferences[premise].node for premise in inference.premises]
        return f"{name}: {listed(node_name(position, node) for node in causes)}"
    if cited.rule:
        why = cited.rule
    elif cited.value:
        many = "s" if len(inference.node.cells) > 1 else ""
        why = f"the only place{many} left for {cited.value} in {cited_name(position, cited)}"
    else:
        why = "the only candidate left"
    details = _details(position, branch, inference)
    return f"{name}: {why}{f'; {details}' if details else ''}"


def _details(position: Position, branch: Branch, inference: Inference) -> str:
    """Why the other candidates of the constraint of an inference do not hold."""
    cited = inference.because
    if cited is None:
        return ""
    texts = []
    for premise in inference.premises:
        cause = branch.inferences[premise]
        name = node_name(position, cause.node)
        reasons = [node_name(position, branch.inferences[n].node) for n in cause.premises]
        texts.append(f"{name} ({', '.join(reasons)})" if reasons else name)
    if inference is branch.inferences[-1] and branch.ends == CONTRADICTION:
        opposite = inference.node._replace(holds=not inference.node.holds)
        earlier = next((each for each in branch.inferences if each.node == opposite), None)
        if earlier:
            reasons = [node_name(position, branch.inferences[n].node) for n in earlier.premises]
            name = node_name(position, opposite)
            texts.append(f"{name} ({', '.join(reasons)})" if reasons else name)
    return ", ".join(texts)


class Words:
    """The placeholders of the templates of `wording` for a step."""

    def __init__(self, step: Step) -> None:
        self.step, self.position = step, step.before

    def __getitem__(self, name: str) -> str:
        text: str = getattr(self, name)
        return text

    def name(self, cell: int) -> str:
        """The name of a cell."""
        return self.position.name_of(cell)

    def names(self, cells: Iterable[int], last: str = "and") -> str:
        """The names of cells in a sentence."""
        return listed(map(self.name, cells), last)

    def units_named(self, units: Iterable[int]) -> str:
        """The names of units in a sentence."""
        return unit_names(self.position, units)

    @property
    def value(self) -> str:
        """The first value of the pattern, or of the conclusions."""
        conclusions = (*self.step.placed, *self.step.struck)
        return str((*self.step.values, *(value for _, value in conclusions))[0])

    @property
    def values(self) -> str:
        """The values of the pattern."""
        return listed(self.step.values)

    @property
    def cells(self) -> str:
        """The cells of the pattern."""
        return self.names(self.step.cells)

    @property
    def units(self) -> str:
        """The units of the pattern."""
        return self.units_named(self.step.units)

    @property
    def cover(self) -> str:
        """The units in which the step eliminates."""
        return self.units_named(self.step.cover)

    @property
    def struck_cells(self) -> str:
        """The cells in which the step eliminates a candidate."""
        return self.names(dict.fromkeys(cell for cell, _ in self.step.struck))

    @property
    def conclusion(self) -> str:
        """The conclusions: `r1c4 is not 7`, `r1c2 and r1c3 are not 2, and r1c3 is not 3`."""
        return conclusion_text(self.position, self.step)

    @property
    def common_units(self) -> str:
        """The units that contain the pattern and cells in which the step eliminates."""
        struck = {cell for cell, _ in self.step.struck}
        units = self.position.units_with(self.step.cells)
        hit = [unit for unit in units if struck & {*self.position.units[unit]}]
        return self.units_named(hit or self.step.units or units)

    # In the line of a step

    @property
    def line_values(self) -> str:
        """The values of the pattern, unless the step fills a cell."""
        return (
            f" {with_commas(self.step.values)}" if self.step.values and not self.step.placed else ""
        )

    @property
    def line_cells(self) -> str:
        return with_commas(map(self.name, self.step.cells))

    @property
    def line_units(self) -> str:
        return unit_names(self.position, self.step.units, is_line=True)

    @property
    def line_cover(self) -> str:
        return unit_names(self.position, self.step.cover, is_line=True)

    @property
    def line_fins(self) -> str:
        fins = with_commas(map(self.name, self.step.fins))
        return f" with {'fins' if len(self.step.fins) > 1 else 'fin'} {fins}" if fins else ""

    @property
    def line_single(self) -> str:
        """The unit of a single; nothing if it is the only candidate of its cell."""
        units = [cited.unit for cited in self.step.cited[:1] if cited.unit is not None]
        return f" in {unit_names(self.position, units, is_line=True)}" if units else ""

    @property
    def line_box(self) -> str:
        return unit_names(self.position, self.step.units[-1:], is_line=True)

    @property
    def line_pattern(self) -> str:
        """The nodes of the chain, or where the pattern is."""
        # the link before a node that holds is strong, the one before a node that does not is weak
        linked = (
            f"{'=' if node.holds else '-'}{node.value}{spot_name(self.position, node.cells)}"
            for node in self.step.chain
        )
        location = self.line_cells or self.line_units
        return (
            f" {''.join(linked)[1:]}" if self.step.chain else f" in {location}" if location else ""
        )

    @property
    def line_chain_cells(self) -> str:
        """The cells of the chain, in order."""
        cells = (node.cells for node in self.step.chain)
        return with_commas(dict.fromkeys(spot_name(self.position, each) for each in cells))

    @property
    def line_colours(self) -> str:
        """The cells of the two colours."""
        return " and ".join(
            with_commas(
                sorted(
                    spot_name(self.position, node.cells)
                    for node in self.step.chain
                    if node.holds == colour
                )
            )
            for colour in (True, False)
        )

    @property
    def line_cases(self) -> str:
        """The cell or the unit of a forcing chain."""
        values, units = with_commas(self.step.values), self.line_units
        if self.step.cells:
            return f" from each of {values} in {self.line_cells}"
        return f" from each place of {values} in {units}" if units else self.line_start

    @property
    def line_start(self) -> str:
        """The assumptions of a forcing chain or net, and where they lead."""
        branches = self.step.branches
        names = with_commas(node_name(self.position, branch.assumption) for branch in branches)
        if all(branch.ends == CONTRADICTION for branch in branches):
            return f" from {names} to a contradiction" if branches else ""
        return f" from {'each of ' if len(branches) > 1 else ''}{names}"


def conclusion_text(position: Position, step: Step) -> str:
    """The conclusions of a step, as the end of a sentence."""
    texts = [f"{position.name_of(cell)} is {value}" for cell, value in step.placed]
    open_struck = [
        each for each in step.struck if not any(excludes(position, p, each) for p in step.placed)
    ]
    by_cells: dict[tuple[int, ...], list[int]] = {}
    for value, candidates in groupby(sorted(open_struck, key=itemgetter(1)), key=itemgetter(1)):
        by_cells.setdefault(tuple(cell for cell, _ in candidates), []).append(value)
    for cells, values in by_cells.items():
        names = listed(map(position.name_of, cells))
        texts.append(f"{names} {'are' if len(cells) > 1 else 'is'} not {listed(values, 'or')}")
    return listed(texts)
