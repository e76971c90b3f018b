"""The text of a step: its line, `r4c7=5 hidden single in row 4`, and its reason.

Each technique has a row in WORDINGS: its names, and templates for the location in its line and for
its reason. Placeholders are properties of `SetWords` and its base classes in the modules `…_words`.
"""

from __future__ import annotations

from typing import NamedTuple

from pipeline.steps.presentation.set_words import SetWords
from pipeline.steps.presentation.words import capital, eliminations, with_commas
from pipeline.steps.step import Step


class Wording(NamedTuple):
    """How to write the steps of a technique.

    - `location`: the template for the pattern in the line of a step, which follows the name.
    - `reason`: the template for the reason.
    - `name`: the name in the line; empty for the name of the technique.
    """

    location: str
    reason: str
    name: str = ""


_AT_PATTERN = "{line_values}{line_pattern}"
_RECTANGLE = "{line_values} in {line_cells}, as the solution is unique,"

WORDINGS = {
    ("full house", "naked single", "hidden single"): Wording("{line_single}", "{single}"),
    ("hidden single in a box", "hidden single in a line"): Wording(
        "{line_single}", "{single}", "hidden single"
    ),
    ("pointing", "claiming", "locked candidates", "direct pointing"): Wording(
        "{line_values} in {line_units}{line_along}",
        "in {units}, {value} is possible only in {cells}, {locked}{direct}",
    ),
    ("naked pair", "naked triple", "naked quadruple", "locked pair", "locked triple"): Wording(
        _AT_PATTERN,
        "{values} are the only candidates of {cells}, {subset}",
    ),
    (
        "hidden pair", "hidden triple", "hidden quadruple", "direct hidden pair",
        "direct hidden triple",
    ): Wording(
        _AT_PATTERN,
        "in {units}, {values} are possible only in {cells}, so these cells hold no other value"
        "{direct}",
    ),
    ("X-wing", "swordfish", "jellyfish"): Wording(
        "{line_values} in {line_units} and {line_cover}",
        "in {units}, {value} is possible only in {cover}; the {count} {base_kind} need {all_cover} "
        "for it, so no other cell of {cover} is {value}",
    ),
    (
        "finned X-wing", "finned swordfish", "finned jellyfish", "sashimi X-wing",
        "sashimi swordfish", "sashimi jellyfish",
    ): Wording(
        "{line_values} in {line_units} and {line_cover}{line_fins}",
        "in {units}, {value} is possible only in {cover} and in {fins}; if {no_fin} {value}, the "
        "{count} {base_kind} need {all_cover} for it, so no other cell of {cover} is {value}; if "
        "{a_fin} is {value}, no cell that sees {all_fins} is; so {in_both_cases}",
    ),
    ("skyscraper", "2-string kite", "turbot fish"): Wording(_AT_PATTERN, "{two_links}"),
    ("empty rectangle",): Wording(
        "{line_values} in {line_box} with {line_cells}", "{empty_rectangle}"
    ),
    ("W-wing",): Wording(_AT_PATTERN, "{w_wing}"),
    ("XY-wing", "XYZ-wing"): Wording(_AT_PATTERN, "{wing}"),
    (
        "unique rectangle 1", "unique rectangle 2", "unique rectangle 3", "unique rectangle 4",
        "unique rectangle 5", "unique rectangle 6", "hidden rectangle", "avoidable rectangle 1",
        "avoidable rectangle 2", "unique loop",
    ): Wording(_RECTANGLE, "{deadly_cells}"),
    ("BUG+1", "bivalue universal grave"): Wording(_AT_PATTERN, "{grave}"),
    ("Sue de Coq",): Wording(" {line_all_values} in {line_cells}", "{sue_de_coq}"),
    ("ALS-XZ", "ALS-XY-wing", "ALS chain"): Wording(" {line_sets}", "{almost_locked}"),
    ("death blossom",): Wording(_AT_PATTERN, "{blossom}"),
    ("simple colours",): Wording("{line_values} in {line_colours}", "{colours}"),
    ("multi-colours",): Wording("{line_values} in {line_components}", "{multi_colours}"),
    ("remote pair",): Wording("{line_values} in {line_chain_cells}", "{remote_pair}"),
    ("X-chain", "XY-chain", "alternating inference chain", "grouped chain"): Wording(
        _AT_PATTERN, "{chain}"
    ),
    ("grouped chain with ALS",): Wording(_AT_PATTERN, "{chain_sets}; {chain}"),
    ("forcing chain", "multiple forcing chain"): Wording("{line_cases}", "{forcing}"),
    (
        "forcing net", "cycle or forcing chain", "Nishio forcing chain", "dynamic forcing chain",
        "dynamic forcing chain plus", "nested forcing chain", "nested multiple forcing chain",
        "nested dynamic forcing chain",
    ): Wording("{line_start}", "{forcing}"),
    ("combinations of a sum",): Wording(" of {line_rules}", "{combinations}", "combinations"),
    ("value of a cage",): Wording(
        "{line_values} of {line_rules}",
        "every combination for {rules} contains {value}, so {cage_places}",
        "value",
    ),
    ("rule",): Wording(
        " {line_rules}",
        "{conclusion}: otherwise {rules} would be broken, whatever its other cells hold",
    ),
    ("innies and outies",): Wording(
        " {line_cells} of {line_units}", "{left_over}, so {conclusion}"
    ),
    ("aligned pair exclusion", "aligned triplet exclusion"): Wording(_AT_PATTERN, "{aligned}"),
}  # fmt: skip
"""The wording of the techniques, by their names."""

_BY_NAME = {name: wording for names, wording in WORDINGS.items() for name in names}
_UNKNOWN = Wording(_AT_PATTERN, "{refuted}")
"""The wording of a technique without a row."""


def wording_of(step: Step) -> Wording:
    """The wording of the technique of a step."""
    return _BY_NAME.get(step.technique.name, _UNKNOWN)


def text_of(step: Step) -> str:
    """Write a step in one line: the cells it fills, the technique, the pattern, the eliminations.

    Examples: `r4c7=5 hidden single in row 4`, `naked pair 3,8 in r2c1,r2c5 removes 8 from r2c7`.
    In a chain, `3r1c2=3r1c8-5r1c8=5r4c8`, at least one of two nodes joined by `=` holds, and at
    most one of two joined by `-`.
    """
    wording = wording_of(step)
    name = wording.name or step.technique.name
    location = wording.location.format_map(SetWords(step))
    if not step.placed:
        return f"{name}{location} removes {eliminations(step.before, step.eliminated)}"
    placed = with_commas(
        f"{step.before.name_of(cell)}={step.before.symbol(value)}" for cell, value in step.placed
    )
    return f"{placed} {name}{location}"


def sentence_of(step: Step) -> str:
    """Write the reason of a step in a sentence."""
    return f"{capital(wording_of(step).reason.format_map(SetWords(step)))}."
