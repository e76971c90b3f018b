"""Names of cells, units and candidates, the lines of branches, and the basic placeholders.

The templates in `wording` contain the placeholders, which are properties of `StepWords`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from pipeline.errors import listed
from pipeline.steps.presentation.branching import candidates_of, conclusions_of
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

_UNIT_NAME = re.compile(r"([a-z]+) (\d+)")
_CELL_NAME = re.compile(r"r\d+c\d+")
_PLURALS = {"box": "boxes"}
_NUMBERS = {1: "one", 2: "two", 3: "three", 4: "four", 5: "five", 6: "six"}


def number_word(count: int) -> str:
    """A small number in words: `three`."""
    return _NUMBERS.get(count, str(count))


def with_commas(words: Iterable[object]) -> str:
    """Join words in the line of a step: `3,4,9`."""
    return ",".join(map(str, words))


def unit_names(position: Position, units: Iterable[int], *, is_line: bool = False) -> str:
    """The names of units: `row 4`, `columns 3 and 8`, `row 1 and box 2`.

    `is_line`: for the line of a step, with commas: `columns 3,8`.
    """
    join = with_commas if is_line else listed
    kinds: dict[str, list[str]] = {}
    for name in (position.unit_names[unit] for unit in units):
        match = _UNIT_NAME.fullmatch(name)
        kind, number = match.groups() if match else (name, "")
        kinds.setdefault(kind, []).append(number)
    texts = []
    for kind, numbers in kinds.items():
        name = kind if len(numbers) == 1 else _PLURALS.get(kind, f"{kind}s")
        texts.append(f"{name} {join(numbers)}" if numbers[0] else f"the {kind}")
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
    """A node in words: `r1c2=5`, `r1c2≠5`, `5 in r1c2 or r1c3`, `5 not in r1c2 or r1c3`."""
    value = position.symbol(node.value)
    if len(node.cells) == 1:
        return f"{position.name_of(node.cells[0])}{'=' if node.holds else '≠'}{value}"
    cells = listed(map(position.name_of, node.cells), "or")
    return f"{value} in {cells}" if node.holds else f"{value} not in {cells}"


def by_cells(candidates: Iterable[Candidate]) -> dict[tuple[int, ...], tuple[int, ...]]:
    """Group candidates: cells with the same values → these values."""
    values_of_cells: dict[int, list[int]] = {}
    for cell, value in sorted(candidates):
        values_of_cells.setdefault(cell, []).append(value)
    groups: dict[tuple[int, ...], list[int]] = {}
    for cell, values in values_of_cells.items():
        groups.setdefault(tuple(values), []).append(cell)
    return {tuple(cells): values for values, cells in groups.items()}


def eliminations(position: Position, candidates: Iterable[Candidate]) -> str:
    """Candidates as in the line of a step: `3,5 from r1c7,r2c7; 5 from r3c7`."""
    return "; ".join(
        f"{with_commas(map(position.symbol, values))} from "
        f"{with_commas(map(position.name_of, cells))}"
        for cells, values in by_cells(candidates).items()
    )


def possible_only(position: Position, cited: Cited) -> str:
    """The places of a value in a unit: `in row 4, 7 is possible only in r4c1 and r4c8`."""
    places = listed(position.name_of(cell) for cell, _ in cited.candidates(position))
    value = position.symbol(cited.value)
    return f"in {cited_name(position, cited)}, {value} is possible only in {places}"


def cited_name(position: Position, cited: Cited) -> str:
    """The name of a cited rule, unit or cell."""
    if cited.rule:
        return cited.rule
    if cited.unit is not None:
        return unit_names(position, [cited.unit])
    return listed(map(position.name_of, cited.cells))


def capital(text: str) -> str:
    """The text with a capital first letter, unless it begins with a symbol or a cell."""
    is_name = _CELL_NAME.match(text) or text[1:2] == " "
    return text if is_name else text[:1].upper() + text[1:]


def contradiction_text(position: Position, branch: Branch) -> str:
    """The contradiction at the end of a branch: `5 would have no place in row 3`."""
    last = branch.inferences[-1]
    cited = last.because
    if cited and cited.rule:
        is_unique = cited.rule == UNIQUENESS
        subject = "the solution" if is_unique else f"the rule {cited.rule}"
        return f"{subject} would {'not be unique' if is_unique else 'be broken'}"
    if cited and cited.value:
        value = position.symbol(cited.value)
        return f"{value} would have no place in {cited_name(position, cited)}"
    if cited:
        return f"{cited_name(position, cited)} would have no candidate"
    cell, value = last.node.cells[0], position.symbol(last.node.value)
    if not last.premises:
        return f"{node_name(position, last.node)} would be both true and false"
    premise = branch.inferences[last.premises[0]].node
    if cell in premise.cells:
        return (
            f"{position.name_of(cell)} would be both {position.symbol(premise.value)} and {value}"
        )
    names = listed(map(position.name_of, (*premise.cells, cell)))
    return f"{names}, which see each other, would both be {value}"


def branch_lines(position: Position, branch: Branch, indent: str = "") -> Iterator[str]:
    """Yield the lines of a branch, with nested branches indented.

    A node that is false has no line of its own: the inference that needs it names it.
    """
    yield f"{indent}if {node_name(position, branch.assumption)}:"
    indent += "  "
    last = branch.inferences[-1]
    for inference in branch.inferences[1:]:
        name = node_name(position, inference.node)
        if inference.branches:
            yield f"{indent}{name}, because otherwise:"
            for nested in inference.branches:
                yield from branch_lines(position, nested, indent + "  ")
        elif inference is last and branch.ends == CONTRADICTION:
            causes = _causes(position, branch, inference) if inference.because else ""
            text = contradiction_text(position, branch)
            yield f"{indent}contradiction: {text}{causes}"
        elif inference.because or (
            inference.premises and (inference.node.holds or inference is last)
        ):
            causes = _causes(position, branch, inference)
            yield f"{indent}{name}{_because(position, inference)}{causes}"


def _because(position: Position, inference: Inference) -> str:
    """The constraint of an inference: `, the only place left for 9 in column 4`."""
    cited = inference.because
    if cited is None:
        return ""
    if cited.rule:
        return f" by the rule {cited.rule}"
    if not cited.value:
        return ", the only candidate left"
    places = "places" if len(inference.node.cells) > 1 else "place"
    value = position.symbol(cited.value)
    return f", the only {places} left for {value} in {cited_name(position, cited)}"


def _causes(position: Position, branch: Branch, inference: Inference) -> str:
    """The premises of an inference, with their own premises: `, as r3c4≠9 (r3c2=9)`."""
    causes = [branch.inferences[premise] for premise in inference.premises]
    if inference is branch.inferences[-1] and branch.ends == CONTRADICTION:
        opposite = inference.node._replace(holds=not inference.node.holds)
        causes += [earlier for earlier in branch.inferences if earlier.node == opposite][:1]
    texts = []
    for cause in causes:
        reasons = ", ".join(node_name(position, branch.inferences[n].node) for n in cause.premises)
        is_shown = inference.because and reasons
        texts.append(node_name(position, cause.node) + (f" ({reasons})" if is_shown else ""))
    return f", as {listed(texts)}" if texts else ""


class StepWords:
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

    def names_are(self, cells: Sequence[int]) -> str:
        """The subject and verb of a sentence: `r1c2 is`, `r1c2 and r1c3 are`."""
        return f"{self.names(cells)} {'are' if len(cells) > 1 else 'is'}"

    def unit_names(self, units: Iterable[int]) -> str:
        """The names of units in a sentence."""
        return unit_names(self.position, units)

    def symbols(self, values: Iterable[int], last: str = "and") -> str:
        """Values in a sentence."""
        return listed(map(self.position.symbol, values), last)

    @property
    def value(self) -> str:
        """The first value of the pattern, or of the conclusions."""
        conclusions = (value for _, value in (*self.step.placed, *self.step.eliminated))
        return self.position.symbol(next(iter(self.step.values), 0) or next(conclusions))

    @property
    def values(self) -> str:
        """The values of the pattern."""
        return self.symbols(self.step.values)

    @property
    def cells(self) -> str:
        """The cells of the pattern."""
        return self.names(self.step.cells)

    @property
    def units(self) -> str:
        """The units of the pattern."""
        return self.unit_names(self.step.units)

    @property
    def cover(self) -> str:
        """The units in which the step eliminates candidates."""
        return self.unit_names(self.step.cover)

    @property
    def target_cells(self) -> list[int]:
        """The cells in which the step eliminates a candidate, each once."""
        return [*dict.fromkeys(cell for cell, _ in self.step.eliminated)]

    @property
    def target_values(self) -> list[int]:
        """The values that the step eliminates, ascending."""
        return sorted({value for _, value in self.step.eliminated})

    @property
    def eliminated_values(self) -> str:
        """The values that the step eliminates: `3 or 5`."""
        return self.symbols(self.target_values, "or")

    @property
    def conclusion(self) -> str:
        """The conclusions: `r1c4 is not 7`, `r1c2 is not 2 or 3, and r1c3 is not 3`."""
        nodes = conclusions_of(self.step)
        eliminated = [c for node in nodes if not node.holds for c in candidates_of(node)]
        texts = [
            f"{self.names(node.cells)} is {self.position.symbol(node.value)}"
            for node in nodes
            if node.holds
        ]
        texts += [
            f"{self.names_are(cells)} not {self.symbols(values, 'or')}"
            for cells, values in by_cells(eliminated).items()
        ]
        return listed(texts)

    def conclusion_for(self, seen: str) -> str:
        """The conclusion for cells that see something: `r1c4 sees both, so it is not 7`."""
        cells = self.target_cells
        is_plural = len(cells) > 1
        are_not = f"{'they are' if is_plural else 'it is'} not {self.eliminated_values}"
        so = are_not if len(by_cells(self.step.eliminated)) == 1 else self.conclusion
        return f"{self.names(cells)} {'see' if is_plural else 'sees'} {seen}, so {so}"

    @property
    def common_units(self) -> str:
        """The units that contain the pattern and cells in which the step eliminates."""
        targets = {*self.target_cells}
        units = self.position.units_with(self.step.cells)
        crossed = [unit for unit in units if targets & {*self.position.units[unit]}]
        return self.unit_names(crossed or self.step.units or units)

    # In the line of a step

    @property
    def line_values(self) -> str:
        """The values of the pattern, unless the step fills a cell."""
        is_shown = self.step.values and not self.step.placed
        return f" {self._line_symbols(self.step.values)}" if is_shown else ""

    def _line_symbols(self, values: Iterable[int]) -> str:
        return with_commas(map(self.position.symbol, values))

    def _line_names(self, cells: Iterable[int]) -> str:
        return with_commas(map(self.name, cells))

    @property
    def line_cells(self) -> str:
        return self._line_names(self.step.cells)

    @property
    def line_units(self) -> str:
        return unit_names(self.position, self.step.units, is_line=True)

    @property
    def line_cover(self) -> str:
        return unit_names(self.position, self.step.cover, is_line=True)

    @property
    def line_fins(self) -> str:
        fins = self._line_names(self.step.fins)
        return f" with {'fins' if len(self.step.fins) > 1 else 'fin'} {fins}" if fins else ""

    @property
    def line_single(self) -> str:
        """The unit of a single; empty for the only candidate of a cell."""
        units = [cited.unit for cited in self.step.cited[:1] if cited.unit is not None]
        return f" in {unit_names(self.position, units, is_line=True)}" if units else ""

    @property
    def line_box(self) -> str:
        return unit_names(self.position, self.step.units[-1:], is_line=True)

    @property
    def line_pattern(self) -> str:
        """The nodes of the chain, or else the cells or units of the pattern.

        A strong link, `=`, is before a node that holds; a weak link, `-`, before one that does not.
        """
        linked = (
            f"{'=' if node.holds else '-'}{self.position.symbol(node.value)}"
            f"{spot_name(self.position, node.cells)}"
            for node in self.step.chain
        )
        location = self.line_cells or self.line_units
        if self.step.chain:
            return f" {''.join(linked)[1:]}"
        return f" in {location}" if location else ""

    @property
    def line_chain_cells(self) -> str:
        """The cells of the chain, in order."""
        names = (spot_name(self.position, node.cells) for node in self.step.chain)
        return with_commas(dict.fromkeys(names))

    @property
    def line_colours(self) -> str:
        """The cells of the two colours."""
        colours = (
            sorted(
                spot_name(self.position, node.cells)
                for node in self.step.chain
                if node.holds == colour
            )
            for colour in (True, False)
        )
        return " and ".join(map(with_commas, colours))

    @property
    def line_cases(self) -> str:
        """The cell or the unit of a forcing chain."""
        values, units = self._line_symbols(self.step.values), self.line_units
        if self.step.cells:
            return f" from each of {values} in {self.line_cells}"
        return f" from each place of {values} in {units}" if units else self.line_start

    @property
    def line_start(self) -> str:
        """The assumptions of a forcing chain or net, and whether they lead to a contradiction."""
        branches = self.step.branches
        names = with_commas(node_name(self.position, branch.assumption) for branch in branches)
        if all(branch.ends == CONTRADICTION for branch in branches):
            return f" from {names} to a contradiction" if branches else ""
        return f" from {'each of ' if len(branches) > 1 else ''}{names}"
