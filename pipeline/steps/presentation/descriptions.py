"""What each technique is and why it holds, for readers who do not know it."""

from __future__ import annotations

import re
from typing import Final, NamedTuple


class Description(NamedTuple):
    """The description of a technique.

    - `what`: the pattern and what follows from it.
    - `why`: why that follows.
    """

    what: str
    why: str


def description_of(name: str) -> Description | None:
    """The description of a technique by its name, without regard to case, hyphens and spaces."""
    return _BY_KEY.get(key_of(name))


def key_of(name: str) -> str:
    """A name in lower case, without hyphens and spaces."""
    return re.sub(r"[-\s]", "", name.lower())


_SUBSET = (
    "As many values as cells: each cell takes one of the values, and none is left for other cells"
)
_FISH = (
    "Each of the lines needs the value once, in one of the crossing lines. There are as many lines "
    "as crossing lines, so each crossing line gets its value in these lines, and nowhere else."
)
_FIN = (
    "Either a fin holds the value, or the pattern is a fish without fins. A cell that sees all "
    "fins and would lose the value by that fish loses it in both cases."
)
_UNIQUE = (
    "A puzzle has one solution. If the cells held only these two values, the two could be "
    "exchanged without a change anywhere else, and there would be a second solution."
)
_CHAIN = (
    "If one end is not true, the links lead to the other end, which is then true. So at least one "
    "of the two ends is true, and what both exclude is eliminated."
)
_ALS = (
    "A set of n cells in a unit with n+1 values is almost locked: without one of its values, it "
    "holds all the others."
)

_DESCRIPTIONS: Final[dict[str, Description]] = {
    "full house": Description(
        "A unit has a single open cell: the cell gets the missing value.",
        "Each unit holds every value once.",
    ),
    "naked single": Description(
        "A cell has a single candidate.",
        "The cell sees all other values, or earlier steps have removed them.",
    ),
    "hidden single": Description(
        "A value has a single place in a unit.",
        "The unit needs the value, and no other open cell can take it.",
    ),
    "locked pair": Description(
        "Two cells in both a box and a line have the same two candidates: these are eliminated "
        "from the rest of the box and of the line.",
        "One cell takes one of the values, the other cell the other value.",
    ),
    "locked triple": Description(
        "Three cells in both a box and a line have only three candidates: these are eliminated "
        "from the rest of the box and of the line.",
        f"{_SUBSET}.",
    ),
    "locked candidates": Description(
        "All places of a value in one unit are also in a second unit: the value is eliminated from "
        "the rest of the second unit.",
        "The first unit needs the value in one of these cells, and the second unit has it only "
        "once.",
    ),
    "pointing": Description(
        "All places of a value in a box are in one line: the value is eliminated from the rest of "
        "the line.",
        "The box needs the value in one of these cells, and the line has it only once.",
    ),
    "claiming": Description(
        "All places of a value in a line are in one box: the value is eliminated from the rest of "
        "the box.",
        "The line needs the value in one of these cells, and the box has it only once.",
    ),
    "naked pair": Description(
        "Two cells that see each other have the same two candidates: these are eliminated from the "
        "cells that see both.",
        "One cell takes one of the values, the other cell the other value.",
    ),
    "naked triple": Description(
        "Three cells of a unit have only three candidates: these are eliminated from the rest of "
        "the unit.",
        f"{_SUBSET}.",
    ),
    "naked quadruple": Description(
        "Four cells of a unit have only four candidates: these are eliminated from the rest of the "
        "unit.",
        f"{_SUBSET}.",
    ),
    "hidden pair": Description(
        "Two values have the same two places in a unit: other candidates are eliminated from these "
        "cells.",
        "The two cells are needed for the two values.",
    ),
    "hidden triple": Description(
        "Three values have only three places in a unit: other candidates are eliminated from these "
        "cells.",
        "The three cells are needed for the three values.",
    ),
    "hidden quadruple": Description(
        "Four values have only four places in a unit: other candidates are eliminated from these "
        "cells.",
        "The four cells are needed for the four values.",
    ),
    "X-wing": Description(
        "In two rows, a value is possible in only the same two columns: it is eliminated from the "
        "rest of these columns. The same with rows and columns exchanged.",
        _FISH,
    ),
    "swordfish": Description(
        "In three rows, a value is possible in only three columns: it is eliminated from the rest "
        "of these columns. The same with rows and columns exchanged.",
        _FISH,
    ),
    "jellyfish": Description(
        "In four rows, a value is possible in only four columns: it is eliminated from the rest of "
        "these columns. The same with rows and columns exchanged.",
        _FISH,
    ),
    "squirmbag": Description("The same as a jellyfish, with five lines.", _FISH),
    "finned X-wing": Description(
        "An X-wing with further places, the fins, in one box: a cell that the X-wing would "
        "eliminate and that sees all fins loses the value.",
        _FIN,
    ),
    "sashimi X-wing": Description(
        "A finned X-wing in which a line has only one place, or none, besides its fins.", _FIN
    ),
    "finned swordfish": Description("A swordfish with fins in one box.", _FIN),
    "sashimi swordfish": Description(
        "A finned swordfish in which a line has only one place, or none, besides its fins.", _FIN
    ),
    "finned jellyfish": Description("A jellyfish with fins in one box.", _FIN),
    "sashimi jellyfish": Description(
        "A finned jellyfish in which a line has only one place, or none, besides its fins.", _FIN
    ),
    "BUG+1": Description(
        "Without one candidate, all open cells would have two candidates, and each value two "
        "places in each unit: this candidate is true.",
        "In such a grid, called bivalue universal grave, every value could be exchanged, so there "
        "would be no solution or several.",
    ),
    "skyscraper": Description(
        "Two rows each have two places for a value, and one place of each is in the same column: "
        "what sees both other places loses the value. The same with rows and columns exchanged.",
        "At most one of the places in the same column is true, so at least one of the others is.",
    ),
    "2-string kite": Description(
        "A row and a column each have two places for a value, and one place of each is in the same "
        "box: what sees both other places loses the value.",
        "At most one of the places in the box is true, so at least one of the others is.",
    ),
    "turbot fish": Description(
        "Two units each have two places for a value, and one place of each sees the other: what "
        "sees both other places loses the value.",
        "At most one of the places that see each other is true, so at least one of the others is.",
    ),
    "empty rectangle": Description(
        "In a box, all places of a value are in one row and one column. Another line has two "
        "places of the value, the first of them in this row (or column). The cell that sees the "
        "second and is in this column (or row) loses the value.",
        "If the value is in the second place, the cell sees it there. Else it is in the first, so "
        "the box has it in the column (or row) of the cell.",
    ),
    "W-wing": Description(
        "Two cells have the same two candidates, and a unit has two places for one of them, each "
        "of which sees one of the cells: what sees both cells loses the other value.",
        "The cells cannot both hold the value of the unit, so one holds the other value.",
    ),
    "XY-wing": Description(
        "A cell with two candidates, the pivot, sees two cells with two candidates, the pincers: "
        "each shares one value with the pivot, and both have the same third value. What sees both "
        "pincers loses the third value.",
        "Whichever value the pivot takes, one of the pincers must take the third value.",
    ),
    "XYZ-wing": Description(
        "An XY-wing whose pivot also has the third value: what sees the pivot and both pincers "
        "loses it.",
        "Whichever value the pivot takes, it or one of the pincers has the third value.",
    ),
    "unique rectangle 1": Description(
        "Four cells in two rows, two columns and two boxes; three of them have only the same two "
        "candidates: the fourth loses both.",
        _UNIQUE,
    ),
    "unique rectangle 2": Description(
        "Four cells as in type 1; two of them in a line have the same further candidate: what sees "
        "both loses it.",
        f"{_UNIQUE} So one of the two cells has the further candidate.",
    ),
    "unique rectangle 3": Description(
        "Four cells as in type 1; two of them have further candidates. Counted as one cell with "
        "these, they and some other cells of a unit have as many candidates as cells: the rest of "
        "the unit loses these candidates.",
        f"{_UNIQUE} So the two cells together act as one cell with the further candidates.",
    ),
    "unique rectangle 4": Description(
        "Four cells as in type 1; two of them have further candidates, and in a unit of these two, "
        "one of the two common values has no other place: the other value is eliminated from them.",
        f"{_UNIQUE} One of the two cells needs the first value, so neither takes the second.",
    ),
    "unique rectangle 5": Description(
        "Type 2 with two cells that are not in a line, or with three cells.",
        f"{_UNIQUE} So one of these cells has the further candidate.",
    ),
    "unique rectangle 6": Description(
        "Four cells as in type 1; two that are not in a line have further candidates, and one of "
        "the two common values has no place outside the four cells in their rows and columns: it "
        "is eliminated from these two cells.",
        f"{_UNIQUE} If one of the cells took the value, all four cells would hold only the two.",
    ),
    "hidden rectangle": Description(
        "Four cells as in a unique rectangle; one has only the two candidates. In the row and the "
        "column of the opposite cell, one of the two values has no place outside the four cells: "
        "the opposite cell loses the other value.",
        f"{_UNIQUE} They would, if the opposite cell held the other value.",
    ),
    "avoidable rectangle 1": Description(
        "Four cells as in a unique rectangle, none of them given. Three are filled, with two "
        "values: the fourth loses the value with which the four would hold only these two.",
        "A puzzle has one solution. Values that were not given could be exchanged if the four "
        "cells held only two values.",
    ),
    "avoidable rectangle 2": Description(
        "Four cells as in a unique rectangle, none of them given; two are filled, and the others "
        "have the same further candidate: what sees both loses it.",
        "A puzzle has one solution, so one of the two open cells has the further candidate.",
    ),
    "unique loop": Description(
        "A loop of cells in which neighbours share a unit, and each unit has two of them or none. "
        "All have the same two candidates, and a few have further ones, of which at least one is "
        "true. As in unique rectangles, that eliminates candidates.",
        _UNIQUE,
    ),
    "simple colours": Description(
        "Units with two places of a value connect cells, which get two colours in turn. A colour "
        "that is twice in a unit loses the value, and so does a cell that sees both colours.",
        "Of two places in a unit, one is true, so all cells of one colour are true, and all of the "
        "other are false.",
    ),
    "multi-colours": Description(
        "Two groups of coloured cells as in simple colours, and a colour of one group sees a "
        "colour of the other: what sees both opposite colours loses the value.",
        "The two colours that see each other are not both true, so one of the opposite colours is.",
    ),
    "remote pair": Description(
        "A chain of cells, each of which sees the next, all with the same two candidates: what "
        "sees two cells at an odd distance in the chain loses both values.",
        "The values alternate along the chain, so two such cells hold one value each.",
    ),
    "X-chain": Description(
        "A chain of places of one value: of two places joined by a strong link at least one is "
        "true, of two joined by a weak link at most one.",
        _CHAIN,
    ),
    "XY-chain": Description(
        "A chain of cells with two candidates; each shares a value with the next, and both ends "
        "have the same value.",
        _CHAIN,
    ),
    "alternating inference chain": Description(
        "A chain of candidates: of two joined by a strong link at least one is true, of two joined "
        "by a weak link at most one.",
        _CHAIN,
    ),
    "discontinuous nice loop": Description(
        "A chain that begins and ends in the same cell: it places a value there, or eliminates "
        "candidates there.",
        _CHAIN,
    ),
    "continuous nice loop": Description(
        "A chain whose ends are linked, too: of the two candidates of each weak link, exactly one "
        "is true, so what sees both is eliminated.",
        "Going around in either direction, every second candidate is true.",
    ),
    "grouped chain": Description(
        "An alternating inference chain in which a node can also be two or three cells where a box "
        "and a line meet: one of them holds the value.",
        _CHAIN,
    ),
    "grouped chain with ALS": Description(
        "A grouped chain in which a node can also be a value in an almost locked set: if the set "
        "lacks the value, it holds its other values, and eliminates them from what sees all their "
        "places in the set.",
        f"{_CHAIN} {_ALS}",
    ),
    "Sue de Coq": Description(
        "Two or three cells where a box and a line meet, a set of cells in the rest of the box and "
        "a set in the rest of the line have together as many values as cells: the rest of the box "
        "and of the line lose these values.",
        "Each value can be placed only once in all these cells, and every cell needs one, so each "
        "of the values is placed in them.",
    ),
    "ALS-XZ": Description(
        "Two almost locked sets share a value X whose places in both see each other, and a second "
        "value Z: what sees all places of Z in both sets loses Z.",
        f"{_ALS} X is missing in one of the sets, and that set holds Z.",
    ),
    "ALS-XY-wing": Description(
        "Two almost locked sets are each connected with a third by a value whose places see each "
        "other: what sees all places of a value that both share loses it.",
        f"{_ALS} The third set can miss only one of the two values, so one of the other sets "
        "misses its own and holds the shared value.",
    ),
    "ALS chain": Description(
        "Almost locked sets, each connected with the next by a value whose places see each other: "
        "what sees all places of a value that the first and the last share loses it.",
        f"{_ALS} If the first set lacks the shared value, each set takes a value from the next, "
        "and the last set holds it.",
    ),
    "death blossom": Description(
        "Each candidate of a cell, the stem, excludes a value of its own almost locked set, a "
        "petal: what sees all places of a value that all petals share loses it.",
        f"{_ALS} Whichever value the stem takes, one petal is locked and holds the shared value.",
    ),
    "aligned pair exclusion": Description(
        "Of all pairs of values of two cells, some would leave another cell without a value: a "
        "candidate that is only in such pairs is eliminated.",
        "The two cells hold one of the remaining pairs.",
    ),
    "aligned triplet exclusion": Description(
        "Of all combinations of values of three cells, some would leave another cell without a "
        "value: a candidate that is only in such combinations is eliminated.",
        "The three cells hold one of the remaining combinations.",
    ),
    "forcing chain": Description(
        "A chain leads from a candidate to its contrary, or back; or chains lead from all "
        "candidates of a cell, or all places of a value in a unit, to the same consequence.",
        "What leads to its contrary is false. One candidate of a cell or unit is true, so what all "
        "of them lead to is true.",
    ),
    "multiple forcing chain": Description(
        "All candidates of a cell, or all places of a value in a unit, have the same consequence.",
        "One of them is true, so the consequence is true.",
    ),
    "bivalue universal grave": Description(
        "Without the further candidates of a few cells, all open cells would have two candidates, "
        "and each value two places in each unit: one of these further candidates is true.",
        "In such a grid every value could be exchanged, so there would be no solution or several.",
    ),
    "cycle or forcing chain": Description(
        "A chain of candidates, each of which follows from the one before, that leads from an "
        "assumption to its opposite, or back to its beginning.",
        "What implies its own opposite is false. In a cycle, every second candidate is true.",
    ),
    "Nishio forcing chain": Description(
        "Assuming a candidate leads to a contradiction. The inferences use only its value.",
        "What leads to a contradiction is false.",
    ),
    "dynamic forcing chain": Description(
        "Assuming a candidate leads to a contradiction, or all candidates of a cell or unit have "
        "the same consequence; an inference may use several earlier ones.",
        "What leads to a contradiction is false; what follows in every case is true.",
    ),
    "dynamic forcing chain plus": Description(
        "A dynamic forcing chain whose inferences may also use locked candidates, pairs and "
        "X-wings that appear after the assumption.",
        "What leads to a contradiction is false; what follows in every case is true.",
    ),
    "nested forcing chain": Description(
        "A dynamic forcing chain whose inferences may themselves be forcing chains.",
        "What leads to a contradiction is false; what follows in every case is true.",
    ),
    "nested multiple forcing chain": Description(
        "A dynamic forcing chain whose inferences may themselves be multiple forcing chains.",
        "What leads to a contradiction is false; what follows in every case is true.",
    ),
    "nested dynamic forcing chain": Description(
        "A dynamic forcing chain whose inferences may themselves be dynamic forcing chains.",
        "What leads to a contradiction is false; what follows in every case is true.",
    ),
    "combinations of a sum": Description(
        "Cells of a cage, or of another sum, can take only some combinations of values: a "
        "candidate in none of them is eliminated.",
        "The cells hold one of the combinations.",
    ),
    "value of a cage": Description(
        "All combinations of a cage contain a value: it is eliminated from the cells that see all "
        "its places in the cage.",
        "The cage holds the value, whichever combination is the right one.",
    ),
    "innies and outies": Description(
        "Cages fill whole rows, columns or boxes but for a few cells: the sum of these cells is "
        "known, so candidates that cannot reach it are eliminated.",
        "Each row, column and box has the same sum, 45 in a 9×9 grid.",
    ),
    "rule": Description(
        "Some candidates would break a rule of the puzzle: they are eliminated.",
        "With them, the rule is broken whatever values its other cells take.",
    ),
    "forcing net": Description(
        "As in a forcing chain, an assumption leads to a contradiction, or all candidates of a "
        "cell or unit lead to the same consequence. An inference may follow from several others.",
        "What leads to a contradiction is false, and what all candidates of a cell or unit lead to "
        "is true.",
    ),
}
_SAME_IDEA: Final = {
    "hidden single in a box": _DESCRIPTIONS["hidden single"],
    "hidden single in a line": _DESCRIPTIONS["hidden single"],
    **{
        f"direct {name}": Description(
            f"{_DESCRIPTIONS[name].what[:-1]}; after that, a value has a single place in a unit.",
            _DESCRIPTIONS[name].why,
        )
        for name in ("locked candidates", "pointing", "claiming", "hidden pair", "hidden triple")
    },
}
_BY_KEY: Final = {
    key_of(name): description for name, description in (_DESCRIPTIONS | _SAME_IDEA).items()
}
