"""Random texts in ISS's notation and documents of f-puzzles, most of them with a planted solution.

Covers every type of constraint and every key, with arguments that often fit the planted grid. Texts
that cannot be parsed are replaced.
"""

from __future__ import annotations

import base64
import json
import random
from collections.abc import Callable, Iterable, Iterator, Sequence

from pipeline import solve
from pipeline.certify import certify_grid
from pipeline.errors import InvalidPuzzle
from pipeline.puzzle.puzzle import Grid, Puzzle
from pipeline.reading.formats import parse_source
from pipeline.settings import Reading

BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
AT_ONCE = 20
"""Random texts per layout: planting a grid takes longer than drawing a text."""

FLAGS_OF_NINE = ("GlobalEntropy", "GlobalMod", "DutchFlatmates")
FLAGS = (
    *("AntiKnight", "AntiKing", "AntiConsecutive", "AntiTaxicab", *FLAGS_OF_NINE, "Windoku"),
    *("DisjointSets", "StrictKropki", "StrictXV", "Diagonal~1"),
)
CHAOS = ("ChaosArrow", "ChaosCount")

JIGSAWS = (
    ".Shape~4x4.NoBoxes.Jigsaw~0010011122323233",
    ".Shape~4x4.Jigsaw~0010011122323233",
    ".Shape~4x4.NoBoxes.Jigsaw~0011001122222222",
    ".Shape~5x5.Jigsaw~0001100111223332223344444",
    ".Shape~6x6.RegionSize~4.Jigsaw~001122001122334455334455666666666666",
)
SOUGHT = (
    ".Shape~3x3.ChaosConstruction",
    ".Shape~4x4.NoBoxes.ChaosConstruction",
    ".Shape~2x4.RegionSize~2.NoBoxes.ChaosConstruction",
    ".Shape~4x4~0-4.Doppelganger",
    ".Shape~4x4~0-4.NoBoxes.Doppelganger",
)
"""Layouts whose regions or missing values the solver has to find."""


def random_lines(chance: random.Random, *, documents: bool) -> Iterator[str]:
    """An endless stream of texts or documents, a few of each layout."""
    while True:
        layout = f".Shape~{chance.choice(('4x4', '6x6'))}" if documents else random_layout(chance)
        if draw := Draw.planted(layout, chance):
            make = draw.document if documents else draw.text
            yield from (make(is_planted=chance.random() < 2 / 3) for _ in range(AT_ONCE))


def random_layout(chance: random.Random) -> str:
    """A random shape: jigsaw pieces, other boxes, extra cells, unknown regions, or a rule."""
    kind = chance.choice(("usual", "usual", "nine", "free", "wide", "jigsaw", "sought", "sought"))
    if kind == "sought":
        return chance.choice(SOUGHT)
    rows, columns = chance.randint(2, 5), chance.randint(2, 4)
    if kind in ("usual", "nine"):
        rows = columns = 9 if kind == "nine" else chance.choice((4, 4, 5, 6))
    number = 9 if kind == "wide" else max(rows, columns)
    lowest = 1
    if kind == "free":
        number, lowest = number + chance.randint(0, 1), chance.randint(0, 1)
    values = f"{lowest}-{number + lowest - 1}" if lowest == 0 else number
    raw = "~Raw" if kind == "free" and rows * columns < 10 and chance.random() < 0.5 else ""
    layout = f".Shape~{rows}x{columns}~{values}{raw}"
    if kind == "jigsaw":
        layout = chance.choice(JIGSAWS)
    elif kind in ("free", "wide"):
        extras = (
            chance.choice((".Var~A", ".Var~B~some~3")),
            f".RegionSize~{chance.randint(2, 4)}",
            *(".RegionSameValues", ".NoBoxes"),
        )
        layout += "".join(extra for extra in extras if chance.random() < 0.3)
    flags = FLAGS_OF_NINE if number == 9 and chance.random() < 0.7 else FLAGS
    return layout + (f".{chance.choice(flags)}" if chance.random() < 0.4 else "")


class Draw:
    """Draws constraints on the cells of a layout, in which a random grid is planted."""

    def __init__(self, layout: str, grid: Grid, chance: random.Random) -> None:
        self.layout, self.grid, self.chance = layout, grid, chance
        self.geometry, self.values = grid.geometry, grid.geometry.values

    @classmethod
    def planted(cls, layout: str, chance: random.Random) -> Draw | None:
        """Plant a random grid in the layout; None if a few random givens leave no solution."""
        try:
            geometry = parsed(layout).geometry
        except InvalidPuzzle:
            return None
        some = chance.sample(range(geometry.size), min(3, geometry.size))
        given = [f"{geometry.name_of(cell)}_{chance.choice(geometry.values)}" for cell in some]
        result = solve(f"{layout}.~{'~'.join(given)}", max_solutions=1, format="iss", prove="never")
        return cls(layout, result.grids[0], chance) if result.grids else None

    def text(self, *, is_planted: bool) -> str:
        while True:
            text = self.tried(is_planted=is_planted)
            try:
                parsed(text)
            except InvalidPuzzle:
                continue  # its constraints do not go together
            return text

    def tried(self, *, is_planted: bool) -> str:
        rules = [self.constraint(is_planted=is_planted) for _ in range(self.chance.randint(1, 4))]
        size = self.geometry.size
        number = self.chance.choice((0, size // 6, size // 3, size // 2))
        number = max(number, size // 2 if size > 60 else 0)
        cells = self.chance.sample(range(size), number)
        given = [f"~{self.name(cell)}_{self.grid.values[cell]}" for cell in cells]
        return self.layout + "".join(rules) + (f".{''.join(given)}" if given else "")

    def constraint(self, depth: int = 0, *, is_planted: bool) -> str:
        """A constraint that can be parsed, and, if requested, holds in the planted grid."""
        while True:
            names = [*ARGUMENTS] + (["group"] * 4 if depth < 2 else [])
            name = self.chance.choice(names + [*CHAOS] * 8 if "Chaos" in self.layout else names)
            for _ in range(30 if is_planted else 3):
                text = self.group(depth) if name == "group" else f".{name}{ARGUMENTS[name](self)}"
                try:
                    puzzle = parsed(f"{self.layout}{text}")
                except InvalidPuzzle:
                    continue  # it does not fit the layout
                if not is_planted or not certify_grid(puzzle, self.grid):
                    return text

    def document(self, *, is_planted: bool) -> str:
        n, keys = self.geometry.side, dict[str, object]()
        number = self.chance.choice((0, n, n * n // 3))
        given = self.chance.sample(range(n * n), number)
        rows: list[list[dict[str, object]]] = [[{} for _ in range(n)] for _ in range(n)]
        for cell in given:
            rows[cell // n][cell % n] = {"value": self.grid.values[cell], "given": True}
        while len(keys) < self.chance.randint(1, 4):
            key = self.chance.choice([*MEMBERS])
            for _ in range(30 if is_planted else 1):
                tried = {"size": n, "grid": rows, **keys, key: MEMBERS[key](self)}
                puzzle = parse_source(json.dumps(tried).encode(), "document").puzzle
                if not is_planted or not certify_grid(puzzle, self.grid):
                    keys[key] = tried[key]
                    break
        return json.dumps({"size": n, "grid": rows, **keys})

    def listed(self, cells: Iterable[int]) -> list[str]:
        return [self.name(cell) for cell in cells]

    def summed(self, cells: list[int]) -> list[dict[str, object]]:
        value = self.chance.choice((str(sum(self.held(cells))), sum(self.held(cells)), None))
        return [{"cells": self.listed(cells), "value": value}]

    def rooted(self, cells: list[int]) -> list[dict[str, object]]:
        return [{"cells": self.listed(cells), "value": f"DR{self.chance.randint(1, 9)}"}]

    def paths(self, least: int, most: int, **members: object) -> list[dict[str, object]]:
        return [{"lines": [self.listed(self.path(least, most))], **members}]

    def pair(self, *values: object) -> list[dict[str, object]]:
        """Two neighbours."""
        while len(path := self.path(2, 2)) < 2:
            pass
        return [{"cells": self.listed(path), "value": self.chance.choice(values)}]

    def outside(self, most: int) -> list[dict[str, object]]:
        at, end = self.chance.randint(1, self.geometry.side), self.geometry.side + 1
        place = self.chance.choice((f"R0C{at}", f"R{end}C{at}", f"R{at}C0", f"R{at}C{end}"))
        return [{"cell": place, "value": str(self.chance.randint(0, most))}]

    def corner_clue(self) -> list[dict[str, object]]:
        at, value = self.chance.randint(1, self.geometry.side - 1), self.chance.randint(1, 12)
        return [{"cell": f"R0C{at}", "direction": "DR", "value": value}]

    def quadruple(self) -> list[dict[str, object]]:
        row, column = (self.chance.randint(1, self.geometry.side - 1) for _ in "rc")
        around = self.geometry.cells_at(
            (row, column), (row, column + 1), (row + 1, column), (row + 1, column + 1)
        )
        return [{"cells": self.listed(around), "values": self.held(around)[:2]}]

    def arrow(self) -> list[dict[str, object]]:
        path = self.path(3, 5)
        circle = path[: self.chance.randint(1, 2)]
        return [{"cells": self.listed(circle), "lines": [self.listed(path[len(circle) - 1 :])]}]

    def clone(self) -> list[dict[str, object]]:
        names = self.listed(self.chance.sample(range(self.geometry.size), 4))
        return [{"cells": names[:2], "cloneCells": names[2:]}]

    def group(self, depth: int) -> str:
        kind = self.chance.choice((".Or", ".Or", ".And", f".Replicate~{self.shifts()}"))
        inside = [
            self.constraint(depth + 1, is_planted=False) for _ in range(self.chance.randint(1, 3))
        ]
        return f"{kind}{''.join(inside)}.End"

    def name(self, cell: int) -> str:
        return self.geometry.name_of(cell).upper()

    def named(self, cells: Iterable[int]) -> str:
        return "".join(f"~{self.name(cell)}" for cell in cells)

    def cells(self, least: int = 1, most: int = 4) -> list[int]:
        """Distinct cells; rarely, one is repeated."""
        most = min(most, self.geometry.size)
        cells = self.chance.sample(
            range(self.geometry.size), self.chance.randint(min(least, most), most)
        )
        return cells + cells[:1] if self.chance.random() < 0.03 else cells

    def path(self, least: int = 2, most: int = 5) -> list[int]:
        """A path of adjacent cells of the grid."""
        path = [self.chance.randrange(self.geometry.grid_size)]
        while len(path) < self.chance.randint(least, most):
            row, column = self.geometry.place(path[-1])
            steps = [(row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1)]
            around = [cell for step in steps if (cell := self.geometry.cell_at(*step)) is not None]
            if not (
                free := [
                    cell for cell in around if cell not in path and cell < self.geometry.grid_size
                ]
            ):
                break
            path.append(self.chance.choice(free))
        return path

    def some(self) -> list[int]:
        return self.path() if self.chance.random() < 0.7 else self.cells()

    def value(self) -> int:
        return self.chance.choice(self.values)

    def several(self, most: int = 3, between: str = "_") -> str:
        return between.join(str(self.value()) for _ in range(self.chance.randint(1, most)))

    def held(self, cells: Iterable[int]) -> list[int]:
        """The values of the planted grid, sometimes with one changed."""
        values = [self.grid.values[cell] for cell in cells]
        if self.chance.random() < 0.1:
            values[self.chance.randrange(len(values))] = self.value()
        return values

    def total(self, cells: Sequence[int]) -> str:
        return f"~{sum(self.held(cells))}{self.named(cells)}"

    def part(self, cells: Sequence[int]) -> str:
        """The sum of a few consecutive cells."""
        first, last = sorted(self.chance.sample(range(len(cells) + 1), 2))
        return f"~{sum(self.held(cells[first:last]))}{self.named(cells)}"

    def weighted(self) -> str:
        cells = self.cells(1, 4)
        weights = [self.chance.choice((-2, -1, 1, 1, 2, 10)) for _ in cells]
        total = sum(value * weight for value, weight in zip(self.held(cells), weights, strict=True))
        return f"~{total}_=_{'_'.join(map(str, weights))}{self.named(cells)}"

    def halves(self, between: str = "") -> str:
        one, other = self.path(2, 3), self.path(1, 3)
        return f"{self.named(one)}{between}{self.named(other)}"

    def line(self) -> tuple[str, tuple[int, ...]]:
        """The name of a row or column, and its cells."""
        rows, columns = [*self.geometry.rows()], [*self.geometry.columns()]
        lines = [(f"R{at}", line) for at, line in enumerate(rows, 1)]
        lines += [(f"C{at}", line) for at, line in enumerate(columns, 1)]
        return self.chance.choice(lines)

    def clues(self, most: int = 0) -> str:
        """A clue at one end, or both ends, of a row or column."""
        name, _ = self.line()
        numbers = [
            self.chance.choice(["", self.chance.randint(1, most or self.values[-1])]) for _ in "ab"
        ]
        return f"~{name}~{numbers[0]}~{numbers[1]}"

    def between(self) -> str:
        name, line = self.line()
        return f"{self.part(line).split(self.named(line))[0]}~{name}"

    def little_killer(self) -> str:
        _, line = self.line()
        return f"~{self.chance.randint(1, 3 * self.values[-1])}~{self.name(line[0])}"

    def x_sum(self) -> str:
        name, line = self.line()
        return f"~{name}~{sum(self.held(line[: self.chance.randint(1, len(line))]))}~"

    def shifts(self) -> str:
        """A bit mask of the cells of copies, from R1C1, lowest bit first."""
        places = self.chance.sample(
            (0, 1, len(next(self.geometry.rows()))), self.chance.randint(1, 2)
        )
        return bits_in_base64([at in places for at in range(self.geometry.grid_size)])

    def relation(self) -> str:
        """The bits of a relation, row by row, and lines of cells, some with names."""
        often = self.chance.choice((0.5, 0.8, 0.9))
        bits = [self.chance.random() < often for _ in range(len(self.values) ** 2)]
        lines = [self.named(self.path(2, 4)) for _ in range(self.chance.randint(1, 2))]
        return f"~{bits_in_base64(bits)}{self.chance.choice(('', '~_so'))}{'~'.join(lines)}"

    def machine(self) -> str:
        """A machine of up to four states, all of them initial, and lines of cells."""
        states, symbols = self.chance.randint(1, 3), len(self.values)
        accepted = self.chance.randrange(1 << states)
        fields = [(1, 2), (1, 4), (symbols - 1, 4), (states, 2), (0, 2), (accepted, states)]
        for _ in range(states):
            mask = self.chance.randrange(1 << symbols)
            fields.append((mask, symbols))
            fields += [(self.chance.randrange(states), 2)] * mask.bit_count()
        return f"~{numbers_in_base64(fields)}{self.named(self.path(2, 4))}"

    def pattern(self) -> str:
        """A pattern of a few parts, which may match the length of its line."""
        signs = [".", f"[{self.several(3, '')}]", f"[^{self.value()}]", f"({self.value()}|.)"]
        times = "", "", "*", "?", "+", "{2}", "{0,2}"
        parts = [self.chance.choice(signs) + self.chance.choice(times) for _ in range(3)]
        data = "".join(parts).encode()
        return (
            f"~{base64.urlsafe_b64encode(data).decode().rstrip('=')}{self.named(self.path(2, 4))}"
        )

    def group_of_cells(self) -> str:
        free = self.geometry.free_grid
        return self.chance.choice(["", "", *(name for name, _ in free.groups)] if free else [""])

    def counts(self) -> str:
        cells = self.cells(1, 5)
        values = self.held(cells)
        wanted = dict.fromkeys(self.chance.sample(values, self.chance.randint(1, len(values))))
        pairs = "".join(f"{values.count(value) or 1}{value}" for value in wanted)
        return f"~{pairs}{self.named(cells)}"

    def wanted(self) -> str:
        cells = self.cells(1, 5)
        some = self.held(cells)[: self.chance.randint(1, 5)]
        return f"~{'_'.join(map(str, some))}{self.named(cells)}"

    def regions(self, length: int) -> str:
        """The region cells of a few consecutive cells of the grid."""
        _, line = self.line()
        return "".join(f"~CC{cell + 1}" for cell in line[:length])

    def given(self) -> str:
        return "".join(f"~{self.name(cell)}_{self.several()}" for cell in self.cells(1, 2))


def parsed(text: str) -> Puzzle:
    return parse_source(text.encode(), "text", Reading(format="iss")).puzzle


def bits_in_base64(bits: Sequence[bool]) -> str:
    """Bits in base64, six per character, lowest first, without trailing zeros."""
    sixes = [
        sum(bit << at for at, bit in enumerate(bits[i : i + 6])) for i in range(0, len(bits), 6)
    ]
    return "".join(BASE64[six] for six in sixes).rstrip("A")


def numbers_in_base64(fields: Sequence[tuple[int, int]]) -> str:
    """(number, bit width) pairs in base64, highest bit first, without padding."""
    bits = "".join(f"{number:0{width}b}" for number, width in fields)
    bits += "0" * (-len(bits) % 8)
    data = int(bits, 2).to_bytes(len(bits) // 8)
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


ARGUMENTS: dict[str, Callable[[Draw], str]] = {
    **dict.fromkeys(FLAGS, lambda _: ""),
    "Diagonal": lambda _: "~-1",
    "FullRankTies": lambda draw: draw.chance.choice(("~none", "~only-unclued", "~any")),
    **dict.fromkeys(
        ("Thermo", "Palindrome", "Renban", "Entropic", "RegionSumLine"),
        lambda draw: draw.named(draw.path(2, 4)),
    ),
    **dict.fromkeys(("Between", "Zipper", "DoubleArrow"), lambda draw: draw.named(draw.path(3, 5))),
    **dict.fromkeys(
        ("WhiteDot", "BlackDot", "X", "V", "GreaterThan"),
        lambda draw: draw.named(draw.path(2, 3)),
    ),
    **dict.fromkeys(
        ("AllDifferent", "EqualityCage", "CountingCircles"), lambda draw: draw.named(draw.some())
    ),
    "Arrow": lambda draw: draw.named(draw.path(2, 4)),
    "PillArrow": lambda draw: f"~2{draw.named(draw.path(3, 6))}",
    "Modular": lambda draw: f"~{draw.chance.randint(2, 4)}{draw.named(draw.path(2, 5))}",
    "Lockout": lambda draw: f"~{draw.chance.randint(1, 4)}{draw.named(draw.path(2, 4))}",
    "Whisper": lambda draw: f"{draw.chance.choice(('', '~1', '~2'))}{draw.named(draw.path(2, 4))}",
    "SumLine": lambda draw: draw.part(draw.path(2, 5)) + draw.chance.choice(("", "~LOOP")),
    "ValueIndexing": lambda draw: draw.named(draw.path(3, 5)),
    "Lunchbox": lambda draw: draw.part(draw.path(2, 5)),
    "Cage": lambda draw: draw.total(draw.some()),
    "Sum": lambda draw: draw.chance.choice((draw.weighted(), draw.total(draw.cells()))),
    "RellikCage": lambda draw: f"~{draw.chance.randint(1, 9)}{draw.named(draw.some())}",
    "ContainAtLeast": Draw.wanted,
    "ContainExact": Draw.wanted,
    "LookAndSay": Draw.counts,
    "CountDistinct": lambda draw: draw.named(draw.cells(2, 5)),
    "EqualSum": lambda draw: draw.halves("~-"),
    "SameValues": lambda draw: f"~{draw.chance.randint(2, 3)}{draw.named(draw.cells(2, 6))}",
    "Quad": lambda draw: f"{draw.named(draw.path(1, 1))}~{draw.several(3, '~')}",
    "LittleKiller": Draw.little_killer,
    "Sandwich": Draw.between,
    "XSum": Draw.x_sum,
    **dict.fromkeys(("Skyscraper", "HiddenSkyscraper", "NumberedRoom"), Draw.clues),
    "FullRank": lambda draw: draw.clues(4 * len(draw.values)),
    "Indexing": lambda draw: draw.chance.choice(("~R", "~C")) + draw.named(draw.path(1, 2)),
    **dict.fromkeys(("Pair", "PairX", "Binary", "BinaryX"), Draw.relation),
    "NFA": Draw.machine,
    "Regex": Draw.pattern,
    "ConnectedValues": lambda draw: f"~{draw.group_of_cells()}~{draw.several()}",
    "ChaosArrow": lambda draw: (
        f"{draw.named(draw.path(1, 1))}~{draw.chance.choice('01')}{draw.regions(3)}"
    ),
    "ChaosCount": lambda draw: (
        f"{draw.named(draw.path(1, 1))}~{draw.chance.choice('01')}{draw.regions(3)}"
    ),
    "Given": Draw.given,
    "Priority": lambda draw: f"~3{draw.named(draw.cells())}",
}
"""The random arguments of each type of constraint."""

MEMBERS: dict[str, Callable[[Draw], object]] = {
    **dict.fromkeys(("diagonal+", "diagonal-", "antiknight", "antiking"), lambda _: True),
    **dict.fromkeys(("disjointgroups", "nonconsecutive"), lambda _: True),
    "negative": lambda draw: draw.chance.sample(("ratio", "difference", "xv"), 2),
    "killercage": lambda draw: draw.summed(draw.path()),
    "cage": lambda draw: draw.rooted(draw.path()),
    "extraregion": lambda draw: [{"cells": draw.listed(draw.path())}],
    "clone": Draw.clone,
    "quadruple": Draw.quadruple,
    "arrow": Draw.arrow,
    **dict.fromkeys(("difference", "ratio"), lambda draw: draw.pair(None, 1, "2", 3)),
    "xv": lambda draw: draw.pair("X", "V"),
    **dict.fromkeys(
        ("even", "odd", "minimum", "maximum"),
        lambda draw: [{"cell": name} for name in draw.listed(draw.path(1, 2))],
    ),
    **dict.fromkeys(
        ("columnindexer", "rowindexer", "boxindexer"),
        lambda draw: [{"cells": draw.listed(draw.path(1, 2))}],
    ),
    "littlekillersum": Draw.corner_clue,
    "sandwichsum": lambda draw: draw.outside(9),
    "xsum": lambda draw: draw.outside(12),
    "skyscraper": lambda draw: draw.outside(4),
    **dict.fromkeys(
        ("thermometer", "slowthermometer", "palindrome", "renban", "nabner", "entropicline"),
        lambda draw: draw.paths(2, 4),
    ),
    **dict.fromkeys(
        ("betweenline", "regionsumline", "zipperline", "doublearrow"),
        lambda draw: draw.paths(3, 5),
    ),
    "modularline": lambda draw: draw.paths(2, 5, value=draw.chance.choice((None, 2, "3"))),
    "whispers": lambda draw: draw.paths(2, 4, value=draw.chance.choice((None, 1, "2"))),
    "lockout": lambda draw: draw.paths(2, 4, value=draw.chance.choice((None, 1, "2"))),
}
"""The random contents of each key of a document."""
