"""Define the traits that `--traits` adds: columns of tables, fields of records, and sentences."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Annotated, Any, ClassVar, Final, Literal

from msgspec import UNSET, Struct

from pipeline.outbox.schema import PuzzleRecord, RecordedRule, Value, or_none
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Puzzle
from pipeline.solving import Effort, Rating, Traits, about

WHOLE, NUMBER, WORD, TRUTH = "whole number", "number", "word", "true or false"
"""The types of columns. A WORD has few different values. A column without a type is text."""


class Trait(Struct, frozen=True):
    """A trait of puzzles. The fields of a subclass are the trait's columns in a table.

    - `field`: the name of the trait's field in a record and in `Traits`.
    - `pattern`: matches the trait's columns in a row, joined by commas.
    - `known_for`: the puzzles that have the trait: `unique`, those with a unique solution, or
      `decided`, all that were found to have no, one or several solutions.
    - `is_slow`: whether the trait takes long to compute, so that an audit takes samples.
    """

    field: ClassVar[str]
    pattern: ClassVar[re.Pattern[str]]
    known_for: ClassVar[Literal["unique", "decided"]] = "unique"
    is_slow: ClassVar[bool] = False

    @classmethod
    def record_value(cls, record: PuzzleRecord) -> Any:
        """The value of the trait in a record; None if it is unknown."""
        return or_none(getattr(record, cls.field))

    @classmethod
    def value_of(cls, traits: Traits, geometry: Geometry) -> Any:  # noqa: ARG003 - `redundant` has cells
        """The value of the trait for a puzzle with these traits; None if it is unknown."""
        return getattr(traits, cls.field)

    @classmethod
    def fields(cls, traits: Traits, puzzle: Puzzle) -> dict[str, Any]:  # noqa: ARG003 - as above
        """The fields that a record has for this trait."""
        return {cls.field: getattr(traits, cls.field)}

    @classmethod
    def texts(cls, value: Any) -> Sequence[str]:
        """The texts of the trait's columns for a value; empty texts for None."""
        return [""] * len(cls.__struct_fields__) if value is None else cls._texts(value)

    @classmethod
    def _texts(cls, value: Any) -> Sequence[str]:
        raise NotImplementedError

    @classmethod
    def sentences(cls, traits: Traits, puzzle: Puzzle) -> list[str]:
        """Sentences about this trait of a puzzle, for people."""
        value = cls.value_of(traits, puzzle.geometry)
        return [] if value is None else [cls._sentence(value)]

    @classmethod
    def _sentence(cls, value: Any) -> str:
        raise NotImplementedError


class CanonicalColumns(Trait, frozen=True):
    """The column of `--traits canonical`."""

    field = "canonical"
    pattern = re.compile(r"(?:[.1-9]{81})?")
    known_for = "decided"

    canonical: Annotated[
        str,
        about(
            "for a classic 9×9 puzzle: the canonical form, which is the same for all equivalent "
            "puzzles"
        ),
    ]

    @classmethod
    def _texts(cls, value: str) -> Sequence[str]:
        return [value]

    @classmethod
    def _sentence(cls, value: str) -> str:
        return f"its canonical form is {value}"


class MinimalColumns(Trait, frozen=True):
    """The columns of `--traits minimal`."""

    field = "redundant"
    pattern = re.compile(r"0,|[1-9]\d*,(?:r\d+c\d+|#\d+)(?: (?:r\d+c\d+|#\d+))*|,", re.ASCII)

    redundant: Annotated[
        str,
        about("for a unique puzzle: the number of redundant givens and rules; 0 if it is minimal"),
        WHOLE,
    ]
    redundant_cells: Annotated[
        str,
        about(
            "the redundant parts: `r1c9` is the given in row 1, column 9; `#2` is the second rule"
        ),
    ]

    @classmethod
    def record_value(cls, record: PuzzleRecord) -> list[str] | None:
        if (redundant := or_none(record.redundant)) is None:
            return None
        rules = or_none(record.redundant_rules) or ()
        return _redundant_part_names(
            (cell.place for cell in redundant), (rule.number for rule in rules)
        )

    @classmethod
    def value_of(cls, traits: Traits, geometry: Geometry) -> list[str] | None:
        if traits.redundant is None:
            return None
        numbers = (index + 1 for index in traits.redundant_rules or ())
        return _redundant_part_names(map(geometry.place, traits.redundant), numbers)

    @classmethod
    def fields(cls, traits: Traits, puzzle: Puzzle) -> dict[str, Any]:
        rules, redundant = traits.redundant_rules, None
        if traits.redundant is not None:
            givens, place = dict(puzzle.givens()), puzzle.geometry.place
            redundant = tuple(Value(*place(cell), givens[cell]) for cell in traits.redundant)
        fields: dict[str, Any] = {"redundant": redundant}
        if puzzle.rules:
            fields["redundant_rules"] = None if rules is None else recorded_rules(puzzle, rules)
        return fields

    @classmethod
    def _texts(cls, value: list[str]) -> Sequence[str]:
        return [str(len(value)), " ".join(value)]

    @classmethod
    def sentences(cls, traits: Traits, puzzle: Puzzle) -> list[str]:
        if traits.redundant is None:
            return []
        givens = " ".join(map(puzzle.geometry.name_of, traits.redundant))
        rules = recorded_rules(puzzle, traits.redundant_rules or ())
        remarks = [f"redundant givens: {givens}"] if givens else []
        remarks += [f"redundant rule #{rule.number}: {rule.text}" for rule in rules]
        return remarks or ["it is minimal"]


def _redundant_part_names(places: Iterable[tuple[int, int]], rules: Iterable[int]) -> list[str]:
    """The names of givens and rules in a table: `r1c9`, `#2`."""
    return [*(f"r{row}c{column}" for row, column in places), *(f"#{number}" for number in rules)]


def recorded_rules(puzzle: Puzzle, indices: Iterable[int]) -> tuple[RecordedRule, ...]:
    """The rules of a puzzle at these indices, as a record stores them."""
    rules, geometry = puzzle.rules, puzzle.geometry
    return tuple(
        RecordedRule(number=index + 1, text=rules[index].describe(geometry)) for index in indices
    )


class EffortColumns(Trait, frozen=True):
    """The columns of `--traits effort`."""

    field = "effort"
    pattern = re.compile(r"[0-3],[0-4],\d+\.\d\d,\d+\.\d\d|,,,", re.ASCII)
    is_slow = True

    effort_depth: Annotated[
        str,
        about(
            "for a unique classic 9×9 puzzle: the depth of trial and error that solves it, "
            "with singles at each step; 0 means that singles suffice, 3 means more than 2"
        ),
        WHOLE,
    ]
    effort_backdoor: Annotated[
        str,
        about(
            "size of the smallest backdoor (a set of cells whose values let singles solve the "
            "rest); 4 means more than 3"
        ),
        WHOLE,
    ]
    effort_splits: Annotated[
        str,
        about(
            "mean number of branches of a search that uses singles, over 64 equivalent forms "
            "of the puzzle"
        ),
        NUMBER,
    ]
    effort_spread: Annotated[
        str, about("the standard deviation of `effort_splits` over these forms"), NUMBER
    ]

    @classmethod
    def _texts(cls, value: Effort) -> Sequence[str]:
        splits, spread = f"{value.splits:.2f}", f"{value.spread:.2f}"
        return [str(value.depth), str(value.backdoor), splits, spread]

    @classmethod
    def _sentence(cls, value: Effort) -> str:
        depth, backdoor, splits, spread = cls._texts(value)
        return f"effort: depth {depth}, backdoor {backdoor}, {splits} ± {spread} splits"


class RatingColumns(Trait, frozen=True):
    """The columns of `--traits rating`."""

    field = "rating"
    pattern = re.compile(
        r">?\d+,[a-z]+,[-+ \w]*,\d+,>?\d+\.\d,(?:\d+\.\d)?,(?:\d+\.\d)?,[ \w]*"
        r"|failed,,[-+ \w]+,\d+,,,,|,,,,,,,",
        re.ASCII,
    )
    is_slow = True

    rating: Annotated[
        str,
        about(
            "for a unique 9×9 puzzle without extra rules: the sum of HoDoKu's scores of the steps "
            "that solve it; `>` marks a lower bound, if the steps did not solve it; `failed` if a "
            "step failed its check, which is a bug in this program"
        ),
    ]
    level: Annotated[
        str, about("`easy`, `medium`, `hard`, `unfair` or `extreme`, as in HoDoKu"), WORD
    ]
    hardest: Annotated[
        str,
        about("the hardest technique, or the technique of the step that failed its check"),
        WORD,
    ]
    steps: Annotated[
        str, about("the number of steps, or the number of the step that failed its check"), WHOLE
    ]
    se: Annotated[
        str,
        about(
            "the highest rating of a step, when steps are chosen in Sudoku Explainer's order (ER); "
            "`>` marks a lower bound, if the steps did not solve the puzzle"
        ),
    ]
    ep: Annotated[
        str,
        about(
            "the highest rating up to the first step that places a value (EP); empty if there is "
            "no such step"
        ),
        NUMBER,
    ]
    ed: Annotated[str, about("the rating of the first step (ED); empty without steps"), NUMBER]
    stopped: Annotated[
        str,
        about("why `se` is a lower bound: `time limit` or `no technique applies`; else empty"),
        WORD,
    ]

    @classmethod
    def _texts(cls, value: Rating) -> Sequence[str]:
        """The texts of the columns; lower bounds begin with `>`."""
        if value.level is None:
            return ["failed", "", value.hardest, str(value.steps), "", "", "", ""]
        score = f"{'' if value.solved else '>'}{value.score}"
        se = f"{'' if value.solved and not value.stopped else '>'}{value.se:.1f}"
        ep, ed = ("" if rating is None else f"{rating:.1f}" for rating in (value.ep, value.ed))
        steps = str(value.steps)
        return [score, value.level, value.hardest, steps, se, ep, ed, value.stopped]

    @classmethod
    def _sentence(cls, value: Rating) -> str:
        if value.failed:
            return f"rating: failed: {value.failed}"
        score, level, hardest, steps, se, ep, ed, stopped = cls._texts(value)
        hardest = f", hardest {hardest}" if hardest else ""
        score = f"score {score} in {steps} steps{hardest}"
        more = ", ".join(f"{name} {rating}" for name, rating in (("EP", ep), ("ED", ed)) if rating)
        se = f"{se} ({more})" if more else se
        reason = f", stopped: {stopped}" if stopped else ""
        return f"rating: {level}, {score}; Sudoku Explainer rating {se}{reason}"


TRAITS: Final[dict[str, type[Trait]]] = {
    "canonical": CanonicalColumns,
    "minimal": MinimalColumns,
    "effort": EffortColumns,
    "rating": RatingColumns,
}
"""The traits by name, in the order of their columns at the end of tables."""


class FormerRatingColumns(Trait, frozen=True):
    """The columns of `--traits rating` in tables of earlier versions."""

    field = "rating"
    pattern = re.compile(r">?\d+,[a-z]+,[-+ \w]*,\d+,>?\d\.\d|failed,,[-+ \w]+,\d+,|,,,,", re.ASCII)
    is_slow = True

    rating: str
    level: str
    hardest: str
    steps: str
    se: str

    @classmethod
    def _texts(cls, value: Rating) -> Sequence[str]:
        return RatingColumns.texts(value)[: len(cls.__struct_fields__)]


FORMER_RATING: Final = "rating of an earlier version"
TABLE_TRAITS: Final[dict[str, type[Trait]]] = {**TRAITS, FORMER_RATING: FormerRatingColumns}
"""The traits whose columns a table may have."""


def has_slow_traits(trait_names: Iterable[str]) -> bool:
    """Whether one of these traits takes long to compute."""
    return any(TRAITS[name].is_slow for name in trait_names)


def traits_in_record(record: PuzzleRecord) -> tuple[str, ...]:
    """The names of the traits whose fields a record has, even if they are null."""
    return tuple(
        name for name, trait in TRAITS.items() if getattr(record, trait.field) is not UNSET
    )


def record_fields(record: PuzzleRecord, trait_names: Iterable[str]) -> list[str]:
    """The fields of the trait columns in the row of a member, from the member's record."""
    return [
        text
        for name in trait_names
        for text in TABLE_TRAITS[name].texts(TABLE_TRAITS[name].record_value(record))
    ]


def row_fields(traits: Traits, geometry: Geometry) -> str:
    """The fields of the trait columns in a puzzle's row, as CSV; each begins with a comma."""
    requested = (TRAITS[name] for name in traits.requested)
    texts = (text for trait in requested for text in trait.texts(trait.value_of(traits, geometry)))
    return "".join(f",{text}" for text in texts)
