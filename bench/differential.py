r"""Whether the library counts as many solutions of each text as another program does.

    python bench/differential.py [--limit 2] [--timeout 60] [--workers 1] ANSWERS
    python bench/differential.py --random 1000 [--seed 1]

Each line of the file ANSWERS is a text, a tab and the number of solutions that the other program
found; or, if the text is a document or has several lines, JSON:

    .Shape~4x4.Thermo~R1C1~R1C2~R1C3~R1C4	12
    {"text": ".Shape~4x4\\n.AntiKing", "solutions": 0}

Numbers from `--limit` on are equal, so the program may stop there. A line is printed for each text
with another number, and for each without any, with the reason: `refused by name` for rules that are
not known or do not fit, which is no fault; `invalid`; `unknown` if the time did not suffice. The
last line counts them all. The exit code is 1 if a number differs, or a text is invalid or unknown.

`--random` prints texts with random rules in ISS's notation, for the other program to answer:

    python bench/differential.py --random 1000 --seed 7 > texts
    their-counter --limit 2 < texts | paste texts - > answers
    python bench/differential.py answers
"""

from __future__ import annotations

import argparse
import base64
import json
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from pipeline import solve, solve_many
from pipeline.certify import certify_grid
from pipeline.errors import InvalidPuzzle
from pipeline.puzzle.puzzle import Grid, Puzzle
from pipeline.reading.formats import parse_source
from pipeline.solving.result import Result

SAME, DIFFERS, REFUSED, INVALID, UNKNOWN = (
    "same",
    "differs",
    "refused by name",
    "invalid",
    "unknown",
)
FAULTS = {DIFFERS, INVALID, UNKNOWN}
BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
AT_ONCE = 20
"""Random texts of one layout: to plant a grid takes longer than to draw a text."""

FLAGS_OF_NINE = ("GlobalEntropy", "GlobalMod", "DutchFlatmates")
FLAGS = ("AntiKnight", "AntiKing", "AntiConsecutive", "AntiTaxicab", *FLAGS_OF_NINE, "Windoku")
FLAGS += ("DisjointSets", "StrictKropki", "StrictXV", "Diagonal~1")
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
"""Layouts whose regions or missing values are found while solving."""


def main() -> None:
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("answers", type=Path, nargs="?")
    parser.add_argument("--limit", type=int, default=2)
    parser.add_argument("--timeout", type=float, default=60.0)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--random", type=int, metavar="COUNT")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    if asked.random:
        chance = random.Random(asked.seed)
        for _ in range(asked.random):
            print(random_text(chance))
    elif asked.answers and not asked.answers.is_file():
        parser.error(f"no such file: {asked.answers}")
    elif asked.answers:
        sys.exit(compare(asked.answers, asked.limit, asked.timeout, asked.workers))
    else:
        parser.error("a file of answers, or --random COUNT, is needed")


def compare(answers: Path, limit: int, timeout: float, workers: int) -> int:
    """Print each difference, and how many there are of each kind; the exit code."""
    given = [*answers_in(answers)]
    texts = (text for _, text, _ in given)
    results = solve_many(texts, workers=workers, max_solutions=limit, timeout=timeout)
    counts: Counter[str] = Counter()
    for (number, text, theirs), result in zip(given, results, strict=True):
        verdict, said = judged(text, result, min(theirs, limit))
        counts[verdict] += 1
        if verdict != SAME:
            print(f"{answers.name}:{number}: {verdict}: {said}: {text!r}", flush=True)
    print(", ".join(f"{count} {verdict}" for verdict, count in counts.most_common()) or "no texts")
    return 1 if FAULTS & counts.keys() else 0


def answers_in(path: Path) -> Iterator[tuple[int, str, int]]:
    """The number of each line, its text, and how many solutions the other program found."""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip():
            continue
        try:
            if line.startswith("{") and '"text"' in line:
                told = json.loads(line)
                text, count = told["text"], told["solutions"]
            else:
                text, _, count = line.rpartition("\t")
            yield number, text, int(count)
        except (ValueError, KeyError, TypeError):
            what = "a text, a tab and a number, or JSON with text and solutions"
            raise SystemExit(f"{path.name}:{number}: expected {what}, found {line!r}") from None


def judged(text: str, result: Result, theirs: int) -> tuple[str, str]:
    """What a result comes to beside the other program's number, and what is said of it."""
    if result.status == "invalid":
        return reason_for(text), result.message or ""
    ours = len(result.solutions)
    if result.status not in ("unique", "multiple", "unsolvable"):
        return UNKNOWN, f"{result.status}, {theirs} by the other program"
    return (SAME if ours == theirs else DIFFERS), f"{ours} solutions, {theirs} by the other program"


def reason_for(text: str) -> str:
    """Whether an invalid text has rules that are refused by name, or is at fault otherwise."""
    try:
        parse_source(text.encode(), "text")
    except InvalidPuzzle as error:
        return REFUSED if error.expected.startswith("rules that") else INVALID
    return INVALID


def random_text(chance: random.Random) -> str:
    """A text in ISS's notation: a layout, one to four rules and a few givens.

    Two of three have a solution, since each of their rules holds in one grid that is planted.
    """
    return random_texts(chance, 1)[0]


def random_texts(chance: random.Random, count: int) -> list[str]:
    """So many texts of one layout and one planted grid."""
    while (draw := Draw.planted(random_layout(chance), chance)) is None:
        pass
    return [draw.text(is_planted=chance.random() < 2 / 3) for _ in range(count)]


def random_layout(chance: random.Random) -> str:
    """A shape, perhaps with pieces, other boxes, cells outside, regions to be found, or a rule."""
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
        extras = chance.choice((".Var~A", ".Var~B~some~3")), f".RegionSize~{chance.randint(2, 4)}"
        extras += ".RegionSameValues", ".NoBoxes"
        layout += "".join(extra for extra in extras if chance.random() < 0.3)
    flags = FLAGS_OF_NINE if number == 9 and chance.random() < 0.7 else FLAGS
    return layout + (f".{chance.choice(flags)}" if chance.random() < 0.4 else "")


class Draw:
    """Draws constraints of texts about the cells of a layout, and a grid that is planted in it."""

    def __init__(self, layout: str, grid: Grid, chance: random.Random) -> None:
        self.layout, self.grid, self.chance = layout, grid, chance
        self.geometry, self.values = grid.geometry, grid.geometry.values

    @classmethod
    def planted(cls, layout: str, chance: random.Random) -> Draw | None:
        """With a random grid of the layout; None if it has none with some random values."""
        try:
            geometry = parsed(layout).geometry
        except InvalidPuzzle:
            return None
        some = chance.sample(range(geometry.size), min(3, geometry.size))
        given = [f"{geometry.name_of(cell)}_{chance.choice(geometry.values)}" for cell in some]
        result = solve(f"{layout}.~{'~'.join(given)}", max_solutions=1, format="iss", prove="never")
        return cls(layout, result.solutions[0], chance) if result.solutions else None

    def text(self, *, is_planted: bool) -> str:
        rules = [self.constraint(is_planted=is_planted) for _ in range(self.chance.randint(1, 4))]
        size = self.geometry.size
        number = self.chance.choice((0, size // 6, size // 3, size // 2))
        number = max(number, size // 2 if size > 60 else 0)
        cells = self.chance.sample(range(size), number)
        given = [f"~{self.name(cell)}_{self.grid.values[cell]}" for cell in cells]
        return self.layout + "".join(rules) + (f".{''.join(given)}" if given else "")

    def constraint(self, depth: int = 0, *, is_planted: bool) -> str:
        """A constraint that can be read, and that holds in the planted grid if that is asked."""
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
        """Different cells; a few texts name one twice."""
        most = min(most, self.geometry.size)
        cells = self.chance.sample(
            range(self.geometry.size), self.chance.randint(min(least, most), most)
        )
        return cells + cells[:1] if self.chance.random() < 0.03 else cells

    def path(self, least: int = 2, most: int = 5) -> list[int]:
        """Cells of the grid, each beside the one before."""
        path = [self.chance.randrange(self.geometry.inner)]
        while len(path) < self.chance.randint(least, most):
            row, column = self.geometry.place(path[-1])
            steps = [(row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1)]
            around = [cell for step in steps if (cell := self.geometry.cell_at(*step)) is not None]
            if not (
                free := [cell for cell in around if cell not in path and cell < self.geometry.inner]
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
        """The values of the planted grid, or with one of them changed."""
        values = [self.grid.values[cell] for cell in cells]
        if self.chance.random() < 0.1:
            values[self.chance.randrange(len(values))] = self.value()
        return values

    def total(self, cells: Sequence[int]) -> str:
        return f"~{sum(self.held(cells))}{self.named(cells)}"

    def part(self, cells: Sequence[int]) -> str:
        """The sum of some of the cells in a row."""
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
        """A clue at one end or both of a row or column."""
        name, line = self.line()
        numbers = [
            self.chance.choice(["", self.chance.randint(1, most or self.values[-1])]) for _ in "ab"
        ]
        return f"~{name}~{numbers[0]}~{numbers[1]}"

    def between(self) -> str:
        name, line = self.line()
        return f"{self.part(line).split(self.named(line))[0]}~{name}"

    def little_killer(self) -> str:
        name, line = self.line()
        return f"~{self.chance.randint(1, 3 * self.values[-1])}~{self.name(line[0])}"

    def x_sum(self) -> str:
        name, line = self.line()
        return f"~{name}~{sum(self.held(line[: self.chance.randint(1, len(line))]))}~"

    def shifts(self) -> str:
        """The cells of copies, from R1C1 on: bits, the lowest first."""
        return bits_in_base64([self.chance.random() < 0.2 for _ in range(self.geometry.inner)])

    def relation(self) -> str:
        """The bits of a relation, row by row, and lines of cells, perhaps with names."""
        often = self.chance.choice((0.5, 0.8, 0.9))
        bits = [self.chance.random() < often for _ in range(len(self.values) ** 2)]
        lines = [self.named(self.path(2, 4)) for _ in range(self.chance.randint(1, 2))]
        return f"~{bits_in_base64(bits)}{self.chance.choice(('', '~_so'))}{'~'.join(lines)}"

    def machine(self) -> str:
        """A machine of up to four states, all of which begin, and lines of cells."""
        states, symbols = self.chance.randint(1, 3), len(self.values)
        accepted = self.chance.randrange(1 << states)
        fields = [(1, 2), (1, 4), (symbols - 1, 4), (states, 2), (0, 2), (accepted, states)]
        for _ in range(states):
            mask = self.chance.randrange(1 << symbols)
            fields.append((mask, symbols))
            fields += [(self.chance.randrange(states), 2)] * mask.bit_count()
        return f"~{numbers_in_base64(fields)}{self.named(self.path(2, 4))}"

    def pattern(self) -> str:
        """A pattern of a few parts, which may be long enough for its line."""
        signs = [".", f"[{self.several(3, '')}]", f"[^{self.value()}]", f"({self.value()}|.)"]
        times = "", "", "*", "?", "+", "{2}", "{0,2}"
        parts = [self.chance.choice(signs) + self.chance.choice(times) for _ in range(3)]
        data = "".join(parts).encode()
        return (
            f"~{base64.urlsafe_b64encode(data).decode().rstrip('=')}{self.named(self.path(2, 4))}"
        )

    def group_of_cells(self) -> str:
        free = self.geometry.free
        return self.chance.choice(["", "", *(name for name, _ in free.groups)] if free else [""])

    def counts(self) -> str:
        cells = self.cells(1, 5)
        values = self.held(cells)
        wanted = dict.fromkeys(self.chance.sample(values, self.chance.randint(1, len(values))))
        return f"~{''.join(f'{values.count(value) or 1}{value}' for value in wanted)}{self.named(cells)}"

    def wanted(self) -> str:
        cells = self.cells(1, 5)
        return f"~{'_'.join(map(str, self.held(cells)[: self.chance.randint(1, 5)]))}{self.named(cells)}"

    def regions(self, length: int) -> str:
        """Cells that tell the regions of some cells of the grid in a row."""
        name, line = self.line()
        return "".join(f"~CC{cell + 1}" for cell in line[:length])

    def given(self) -> str:
        return "".join(f"~{self.name(cell)}_{self.several()}" for cell in self.cells(1, 2))


def parsed(text: str) -> Puzzle:
    return parse_source(text.encode(), "text", format_name="iss").puzzle


def bits_in_base64(bits: Sequence[bool]) -> str:
    """Six bits a sign, the lowest first, without zeros at the end."""
    sixes = [
        sum(bit << at for at, bit in enumerate(bits[i : i + 6])) for i in range(0, len(bits), 6)
    ]
    return "".join(BASE64[six] for six in sixes).rstrip("A")


def numbers_in_base64(fields: Sequence[tuple[int, int]]) -> str:
    """Numbers of so many bits each, the highest first, in base64."""
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


if __name__ == "__main__":
    main()
