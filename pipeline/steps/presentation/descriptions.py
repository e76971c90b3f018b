"""The descriptions of techniques, for readers who do not know them."""

from __future__ import annotations

from typing import Final, NamedTuple


class Description(NamedTuple):
    """The description of a technique.

    - `pattern`: the pattern and its conclusion, in a few sentences.
    - `proof`: why the conclusion holds.
    """

    pattern: str
    proof: str


def description_of(name: str) -> Description | None:
    """The description of a technique by its name, or None."""
    return _DESCRIPTIONS.get(name)


_SINGLE = Description(
    "A value has a single place in a unit: it is placed there.",
    "The unit needs the value, and no other open cell of it can take the value.",
)
_SUBSET = (
    "There are as many values as cells, and each cell takes one of them, so none is left for other "
    "cells."
)
_FISH = (
    "Each of these rows has the value once, and no two of them have it in the same column. There "
    "are as many columns as rows, so each column has the value in one of these rows."
)
_FIN = (
    "If no fin has the value, the pattern is a fish without fins, which eliminates the value in "
    "the cell. If a fin has it, the cell sees the value there."
)
_UNIQUE = (
    "A puzzle has one solution. If the cells held only these two values, they could be exchanged "
    "without a change in any other cell, and there would be a second solution."
)
_RECTANGLE = "Four cells in two rows, two columns and two boxes have the same two candidates"
_CHAIN = (
    "If one end is false, the links lead to the other end, which is then true. So at least one of "
    "the two ends is true, and a candidate that both exclude is false."
)
_LINKS = (
    "At least one of two candidates with a strong link is true, at most one of two with a weak "
    "link."
)
_ALS = (
    "A set of cells in a unit with one candidate more than cells is almost locked: if it lacks one "
    "of its values, it holds all the others."
)
_REFUTED = "An assumption that leads to a contradiction is false."
_CASES = "One of the candidates is true, so a consequence that they all have is true."
_DYNAMIC = (
    "An assumption leads to a contradiction, or all candidates of a cell, or all places of a value "
    "in a unit, have the same consequence. An inference may follow from several others"
)
_GRAVE = (
    "In such a grid, a bivalue universal grave, every value could be exchanged, so the puzzle "
    "would have no solution or several."
)


def _subset(cells: str, values: str) -> Description:
    return Description(
        f"{cells} cells of a unit have only {values} candidates: these are eliminated from the "
        "other cells of the unit.",
        _SUBSET,
    )


def _hidden_subset(count: str) -> Description:
    return Description(
        f"{count.capitalize()} values have only {count} places in a unit: all other candidates are "
        "eliminated from these cells.",
        "Each value needs one of these cells, so there is no room for other values.",
    )


def _fish(count: str) -> Description:
    return Description(
        f"In {count} rows, a value is possible only in {count} columns: it is eliminated from the "
        "other cells of these columns. Rows and columns can be exchanged.",
        _FISH,
    )


def _finned(name: str) -> Description:
    return Description(
        f"{name}, but its lines have a few further places for the value, the fins, all in one box. "
        "The value is eliminated from cells that see all fins and from which the fish without "
        "fins would eliminate it.",
        _FIN,
    )


def _sashimi(name: str) -> Description:
    finned = _finned(name)
    return finned._replace(
        pattern=f"{finned.pattern} One of the lines has at most one place besides its fins."
    )


_DESCRIPTIONS: Final[dict[str, Description]] = {
    "full house": Description(
        "A unit has a single open cell: it gets the missing value.", "A unit has every value once."
    ),
    "naked single": Description(
        "A cell has a single candidate: it gets this value.",
        "The cell sees all other values, or earlier steps have eliminated them.",
    ),
    "hidden single": _SINGLE,
    "hidden single in a box": _SINGLE,
    "hidden single in a line": _SINGLE,
    "locked pair": Description(
        "Two cells in both a box and a line have the same two candidates: these are eliminated "
        "from the other cells of the box and of the line.",
        _SUBSET,
    ),
    "locked triple": Description(
        "Three cells in both a box and a line have only three candidates: these are eliminated "
        "from the other cells of the box and of the line.",
        _SUBSET,
    ),
    "locked candidates": Description(
        "All places of a value in one unit are also in a second unit: the value is eliminated from "
        "the other cells of the second unit.",
        "The first unit has the value in one of these cells, and the second unit has it only once.",
    ),
    "pointing": Description(
        "All places of a value in a box are in one line: the value is eliminated from the other "
        "cells of the line.",
        "The box has the value in one of these cells, and the line has it only once.",
    ),
    "claiming": Description(
        "All places of a value in a line are in one box: the value is eliminated from the other "
        "cells of the box.",
        "The line has the value in one of these cells, and the box has it only once.",
    ),
    "naked pair": Description(
        "Two cells that see each other have the same two candidates: these are eliminated from "
        "cells that see both.",
        _SUBSET,
    ),
    "naked triple": _subset("Three", "three"),
    "naked quadruple": _subset("Four", "four"),
    "hidden pair": _hidden_subset("two"),
    "hidden triple": _hidden_subset("three"),
    "hidden quadruple": _hidden_subset("four"),
    "X-wing": _fish("two"),
    "swordfish": _fish("three"),
    "jellyfish": _fish("four"),
    "finned X-wing": _finned("An X-wing"),
    "sashimi X-wing": _sashimi("An X-wing"),
    "finned swordfish": _finned("A swordfish"),
    "sashimi swordfish": _sashimi("A swordfish"),
    "finned jellyfish": _finned("A jellyfish"),
    "sashimi jellyfish": _sashimi("A jellyfish"),
    "BUG+1": Description(
        "Without one candidate, every open cell would have two candidates, and every value two "
        "places or none in each unit: this candidate is true.",
        _GRAVE,
    ),
    "bivalue universal grave": Description(
        "Without the third candidates of a few cells, every open cell would have two candidates, "
        "and every value two places or none in each unit: one of these candidates is true.",
        _GRAVE,
    ),
    "skyscraper": Description(
        "Two rows have two places each for a value, and one place of each is in the same column: "
        "the value is eliminated from cells that see both other places. Rows and columns can be "
        "exchanged.",
        "At most one of the places in the same column has the value, so at least one of the other "
        "places has it.",
    ),
    "2-string kite": Description(
        "A row and a column have two places each for a value, and one place of each is in the same "
        "box: the value is eliminated from cells that see both other places.",
        "At most one of the places in the box has the value, so at least one of the other places "
        "has it.",
    ),
    "turbot fish": Description(
        "Two units have two places each for a value, and a place of one sees a place of the other: "
        "the value is eliminated from cells that see both other places.",
        "At most one of the places that see each other has the value, so at least one of the other "
        "places has it.",
    ),
    "empty rectangle": Description(
        "In a box, all places of a value are in one row and one column. A second column has two "
        "places for the value, one of them in this row: the value is eliminated where the row of "
        "the other place meets the column of the box. Rows and columns can be exchanged.",
        "If the other place has the value, the cell sees it there. If not, the value is in the row "
        "of the box, outside the box; then the box has it in its column, where the cell sees it.",
    ),
    "W-wing": Description(
        "Two cells have the same two candidates. A unit has two places for one of these values, "
        "and each cell sees one of the places: the other value is eliminated from cells that see "
        "both cells.",
        "One of the two places has the value, so one of the two cells has the other value.",
    ),
    "XY-wing": Description(
        "A cell with two candidates, the pivot, sees two cells with two candidates, the pincers. "
        "Each pincer has one candidate of the pivot, and both have the same third value: this is "
        "eliminated from cells that see both pincers.",
        "Whichever value the pivot has, one of the pincers must take the third value.",
    ),
    "XYZ-wing": Description(
        "A cell with three candidates, the pivot, sees two cells with two of these candidates, the "
        "pincers, which share one value: it is eliminated from cells that see all three.",
        "If the pivot does not have the shared value, it has another value of a pincer, which must "
        "then take the shared value.",
    ),
    "unique rectangle 1": Description(
        f"{_RECTANGLE}, and one of the cells has further candidates: the two candidates are "
        "eliminated from this cell.",
        _UNIQUE,
    ),
    "unique rectangle 2": Description(
        f"{_RECTANGLE}, and two of the cells in a line also have the same third candidate: it is "
        "eliminated from cells that see both.",
        f"{_UNIQUE} So one of the two cells has the third value.",
    ),
    "unique rectangle 3": Description(
        f"{_RECTANGLE}, and two of the cells have further candidates. Together with other cells of "
        "a unit, the two cells make a naked subset, in which they count as one cell with the "
        "further candidates: the values of the subset are eliminated from the rest of the unit.",
        f"{_UNIQUE} So one of the two cells has a further candidate, and belongs to the subset.",
    ),
    "unique rectangle 4": Description(
        f"{_RECTANGLE}, and two of the cells have further candidates. In a unit of these two "
        "cells, one of the two values has no other place: the other value is eliminated from both "
        "cells.",
        f"{_UNIQUE} One of the two cells has the first value; if the other had the second, all "
        "four would hold only the two values.",
    ),
    "unique rectangle 5": Description(
        f"{_RECTANGLE}, and three of the cells, or two that are not in a line, also have the same "
        "third candidate: it is eliminated from cells that see all of these.",
        f"{_UNIQUE} So one of these cells has the third value.",
    ),
    "unique rectangle 6": Description(
        f"{_RECTANGLE}, and two of the cells that are not in a line have further candidates. In "
        "both rows, or in both columns, one of the two values has no place outside the four cells: "
        "it is eliminated from the two cells.",
        f"{_UNIQUE} If one of the two cells had the value, all four would hold only the two "
        "values.",
    ),
    "hidden rectangle": Description(
        f"{_RECTANGLE}, and at least one cell has no further candidates. In the row and the column "
        "of the opposite corner, one of the two values has no place outside the four cells: the "
        "other value is eliminated from this corner.",
        f"{_UNIQUE} If the corner had the other value, all four would hold only the two values.",
    ),
    "avoidable rectangle 1": Description(
        "Four cells in two rows, two columns and two boxes are not givens. Three are filled with "
        "two values: the value that would complete the pattern is eliminated from the fourth.",
        f"{_UNIQUE} Given values could not be exchanged.",
    ),
    "avoidable rectangle 2": Description(
        "Four cells in two rows, two columns and two boxes are not givens. Two are filled. The "
        "other two have one of these values and a third value as candidates, the same third value "
        "in both: it is eliminated from cells that see both.",
        f"{_UNIQUE} So one of the two open cells has the third value.",
    ),
    "unique loop": Description(
        "All cells of a loop have the same two candidates, and each unit has two of the cells or "
        "none. A few of them have further candidates, of which one is true.",
        _UNIQUE,
    ),
    "simple colours": Description(
        "Units with two places for a value link cells, which get two colours in turn. A colour is "
        "false if two of its cells see each other. The value is eliminated from cells that see "
        "both colours.",
        "Of two places of a unit exactly one has the value, so all cells of one colour have it, "
        "and none of the other.",
    ),
    "multi-colours": Description(
        "Units with two places for a value join cells into two groups, and the cells of each group "
        "get two colours in turn. If a colour of one group sees a colour of the other, the value "
        "is eliminated from cells that see both opposite colours.",
        "One colour of each group has the value. The two colours that see each other cannot both "
        "have it, so at least one of their opposites has it.",
    ),
    "remote pair": Description(
        "A chain of cells, each of which sees the next, has the same two candidates in all cells: "
        "they are eliminated from cells that see two cells of the chain with different values.",
        "The two values alternate along the chain.",
    ),
    "X-chain": Description(f"A chain of places of one value. {_LINKS}", _CHAIN),
    "XY-chain": Description(
        "A chain of cells with two candidates each. Neighbours see each other and share a value, "
        "and both ends have the same value: it is eliminated from cells that see both.",
        _CHAIN,
    ),
    "alternating inference chain": Description(f"A chain of candidates. {_LINKS}", _CHAIN),
    "grouped chain": Description(
        "A chain of candidates, in which a node can also be two or three places of a value where a "
        f"box and a line meet: it is true if one of them has the value. {_LINKS}",
        _CHAIN,
    ),
    "grouped chain with ALS": Description(
        "A grouped chain in which a node can also be a value in an almost locked set: if the set "
        "lacks the value, it holds its other values, and excludes them from cells that see all "
        "their places in the set.",
        f"{_CHAIN} {_ALS}",
    ),
    "Sue de Coq": Description(
        "Two or three cells where a box and a line meet, cells in the rest of the box and cells in "
        "the rest of the line have together as many values as cells: each value is eliminated from "
        "cells that see all its places in these cells.",
        "Each value fits only once in these cells, and each cell needs one, so the cells hold all "
        "of the values.",
    ),
    "ALS-XZ": Description(
        "Two almost locked sets share a value X whose places in both see each other, and a value "
        "Z: it is eliminated from cells that see all places of Z in both sets.",
        f"{_ALS} One of the sets lacks X and holds Z.",
    ),
    "ALS-XY-wing": Description(
        "An almost locked set is linked with two others, by one value each whose places see each "
        "other. A value that both others have is eliminated from cells that see all its places in "
        "them.",
        f"{_ALS} The first set can lack only one of the linking values, so one of the others lacks "
        "its own and holds the common value.",
    ),
    "ALS chain": Description(
        "Almost locked sets, each linked with the next by a value whose places see each other. A "
        "value of the first and the last set is eliminated from cells that see all its places in "
        "both.",
        f"{_ALS} If the first set does not hold the value, it holds the one that it shares with "
        "the next, and so on; then the last set lacks its own and holds the value.",
    ),
    "death blossom": Description(
        "Each candidate of a cell, the stem, sees all its places in an almost locked set, its "
        "petal. A value that all petals have is eliminated from cells that see all its places "
        "there.",
        f"{_ALS} Whichever value the stem has, its petal lacks it and holds the common value.",
    ),
    "aligned pair exclusion": Description(
        "Some pairs of values of two cells would leave no candidate for another cell, or repeat a "
        "value in a unit: a candidate that occurs in no other pair is eliminated.",
        "The two cells hold one of the other pairs.",
    ),
    "aligned triplet exclusion": Description(
        "Some combinations of values of three cells would leave no candidate for another cell, or "
        "repeat a value in a unit: a candidate that occurs in no other combination is eliminated.",
        "The three cells hold one of the other combinations.",
    ),
    "forcing chain": Description(
        "A chain leads from a candidate to its opposite; or chains lead from all candidates of a "
        "cell, or from all places of a value in a unit, to the same consequence.",
        f"{_REFUTED} {_CASES}",
    ),
    "multiple forcing chain": Description(
        "All candidates of a cell, or all places of a value in a unit, have the same consequence.",
        _CASES,
    ),
    "cycle or forcing chain": Description(
        "A chain of candidates, each of which follows from the one before, leads from an "
        "assumption to its opposite, or back to its beginning.",
        f"{_REFUTED} Of two neighbours in a cycle, exactly one is true, so a candidate that "
        "both exclude is false.",
    ),
    "Nishio forcing chain": Description(
        "A candidate leads to a contradiction, by inferences that use only its value.", _REFUTED
    ),
    "dynamic forcing chain": Description(f"{_DYNAMIC}.", f"{_REFUTED} {_CASES}"),
    "dynamic forcing chain plus": Description(
        f"{_DYNAMIC}, and use locked candidates, pairs and X-wings that appear after the "
        "assumption.",
        f"{_REFUTED} {_CASES}",
    ),
    "nested forcing chain": Description(
        f"{_DYNAMIC}, and may itself be a forcing chain.", f"{_REFUTED} {_CASES}"
    ),
    "nested multiple forcing chain": Description(
        f"{_DYNAMIC}, and may itself be a multiple forcing chain.", f"{_REFUTED} {_CASES}"
    ),
    "nested dynamic forcing chain": Description(
        f"{_DYNAMIC}, and may itself be a dynamic forcing chain.", f"{_REFUTED} {_CASES}"
    ),
    "forcing net": Description(f"{_DYNAMIC}.", f"{_REFUTED} {_CASES}"),
    "combinations of a sum": Description(
        "The cells of a cage, or of another sum, can take only some combinations of values: "
        "candidates that occur in none of them are eliminated.",
        "The cells hold one of the combinations.",
    ),
    "value of a cage": Description(
        "All combinations for a cage contain a value: it is eliminated from cells that see all its "
        "places in the cage.",
        "The cage holds one of the combinations, and the value with it.",
    ),
    "innies and outies": Description(
        "Cages fill rows, columns or boxes except for a few cells: the sum of these cells is "
        "known, and candidates that cannot reach it are eliminated.",
        "Every row, column and box has the same sum, which is 45 in a 9×9 grid.",
    ),
    "rule": Description(
        "Some candidates would break a rule of the puzzle: they are eliminated.",
        "With such a candidate, the rule would be broken, whatever values its other cells have.",
    ),
}
for _name in ("pointing", "hidden pair", "hidden triple"):
    _indirect = _DESCRIPTIONS[_name]
    _DESCRIPTIONS[f"direct {_name}"] = _indirect._replace(
        pattern=f"{_indirect.pattern} After that, a value has a single place in a unit."
    )
