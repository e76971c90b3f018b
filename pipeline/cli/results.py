"""Print results: solutions, notes, a table of times, a drawing."""

from __future__ import annotations

import json
import re
import shlex
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipeline.cli.boards import conflict_board, solution_boards
from pipeline.cli.file_access import atomic_output, write_to
from pipeline.cli.messages import say
from pipeline.cli.options import program
from pipeline.cli.status_line import coloured, evidence, status_line
from pipeline.errors import InputError, listed, printable
from pipeline.puzzle.puzzle import Grid
from pipeline.reading import Unreadable
from pipeline.reading.formats import symbols_of
from pipeline.service.log import can_encode
from pipeline.settings import Settings
from pipeline.solving import ERROR_STATUSES
from pipeline.solving.items import Item
from pipeline.solving.problem import FormulaProblem, PuzzleProblem
from pipeline.solving.result import Result

if TYPE_CHECKING:
    from pipeline.outbox.report import Board
    from pipeline.solving.explain import Difference

STAGES = ("parse", "encode", "solve", "decode", "certify", "prove", "total")
"""Columns of times, in the order in which the stages run."""
_DRAWN_SOLUTIONS = 2
"""Number of solutions to draw if `--max-solutions` is not given."""
_WIDE_TERMINAL = 104
"""Minimum width of a terminal on which all headings fit in one line."""
_OTHER_COLUMNS_WIDTH = 70
"""Width reserved for all columns but the name on a narrower terminal."""


def record_line(
    item: Item, result: Result, settings: Settings, *, texts: bool = True, **more: Any
) -> str:
    """The record that `run` would write, as a line of JSON.

    - `texts`: add a field `texts`, with the solutions in the notation of the puzzle.
    - `more`: further fields.
    """
    import msgspec  # noqa: PLC0415 - slow to load

    from pipeline.outbox.write_record import Origin, PuzzleSet, digest  # noqa: PLC0415 - slow to load
    from pipeline.service.protocol.claim import new_job_id  # noqa: PLC0415 - slow to load

    data, now = item.data, datetime.now(UTC)
    sha256, size = (None, None) if data is None else (digest(data), len(data))
    origin = Origin(new_job_id(now), item.where, sha256, size, settings.declared)
    record = msgspec.to_builtins(PuzzleSet(origin, result).record({}, now))
    if texts:
        problem = result.problem
        grids = ["".join(problem.text(grid)) for grid in result.solutions] if problem else []
        more["texts"] = grids
    return json.dumps(record | more)


def count_line(item: Item, result: Result) -> str:
    """The object that `count --json` prints for a puzzle, as a line of JSON."""
    counts = {"solutions": len(result.solutions), "complete": result.complete}
    fields = {"status": result.status, "message": result.full_message}
    fields |= {"code": result.code} if result.code else {}
    return json.dumps({"source": item.where} | counts | fields)


@dataclass(frozen=True, slots=True)
class ResultStyle:
    """How results are printed.

    - `boards`: draw the solutions, or the conflict if there are none.
    - `is_text`: print the status of a single puzzle before its solutions; else on standard error,
      so that standard output has only solutions.
    - `has_names`: print the name of the file before the status.
    - `has_only_notes`: print nothing about a single puzzle on standard output.
    """

    boards: bool = False
    is_text: bool = False
    has_names: bool = False
    has_only_notes: bool = False


def show_result(item: Item, result: Result, settings: Settings, style: ResultStyle) -> None:
    """Print a result: for a puzzle of a collection one line, else solutions and notes."""
    if not item.is_only_item:
        line = _summary_line(result)
        if not item.line:  # the message begins with the name of the file
            name = printable(Path(item.name).name)
            line = re.sub(f"^({result.status}: ){re.escape(name)}: ?", r"\1", line)
        print(f"{printable(item.where)}: {line}")
        return
    problem, name = result.problem, f"{item.name}: " if style.has_names else ""
    is_text = style.is_text and not style.has_only_notes and result.status not in ERROR_STATUSES
    if not style.has_only_notes and isinstance(problem, FormulaProblem):
        _print_models(name, result, problem)
    elif not style.has_only_notes and isinstance(problem, PuzzleProblem):
        if is_text:
            print(f"{name}{coloured(status_line(result), result)}")
            if result.status == "unsolvable":
                _print_conflict(result, problem, boards=style.boards)
        _print_solutions(result, problem, settings, boards=style.boards)
    if not is_text:
        _say_status(item, result, only_problems=settings.quiet or style.has_only_notes)
    needs_name = style.has_names or not style.boards  # a single board needs none
    _say_notes(f"{item.name}: " if needs_name else "", result, settings)


def say_fault(item: Item, result: Result) -> None:
    """Print why an item could not be read, with a caret at the wrong character if it is known."""
    source = item.content
    if isinstance(source, Unreadable) and source.place and source.data is not None:
        from pipeline.solving.drawing import line_at, with_caret  # noqa: PLC0415 - rarely needed

        number, column = source.place
        if (line := line_at(source.data, number)) is not None:
            shown = with_caret(line, column).replace("\n", "\n    ")
            read_as = f"\n    read as {source.read_as}" if source.read_as else ""
            say(f"{source.reason}\n    {shown}{read_as}")
            if result.code == "not-a-puzzle" and Path(item.name).is_file():
                doctor = f"{program()} doctor {shlex.quote(item.name)}"
                say(f"    to see which formats nearly fit: {doctor}")
            return
    say(str(result.message))


def _summary_line(result: Result) -> str:
    """The status, the first solution and all messages in one line."""
    from pipeline.outbox.tables import one_line  # noqa: PLC0415 - not for single puzzles

    solution = ""
    if result.solutions:
        first = result.solutions[0]
        solution = " " + (one_line(first.values) if isinstance(first, Grid) else "satisfiable")
    warning = result.solver.warning if result.solver else None
    sentence = "; ".join(
        filter(
            None,
            (result.full_message, _unverified_reason(result), warning, *_trait_sentences(result)),
        )
    )
    return f"{result.status}{solution}" + (f": {printable(sentence)}" if sentence else "")


def _print_models(prefix: str, result: Result, problem: FormulaProblem) -> None:
    """Print the models of a formula as `s` and `v` lines."""
    for model in result.solutions:
        print(prefix, *problem.text(model), sep="", end="")
    if not result.solutions:
        print(f"{prefix}s {'UNSATISFIABLE' if result.complete else 'UNKNOWN'}")


def _print_solutions(
    result: Result, problem: PuzzleProblem, settings: Settings, *, boards: bool
) -> None:
    """Print the solutions as texts, or as boards beside the puzzle.

    If many solutions were found without `--max-solutions`, only the first two are drawn.
    """
    if result.solutions and not boards:
        print("\n".join("".join(problem.text(grid)) for grid in result.solutions), end="")
    elif result.solutions:
        number = None if settings.max_solutions else _DRAWN_SOLUTIONS
        print(solution_boards(problem, result.solutions[:number]))


def _print_conflict(result: Result, problem: PuzzleProblem, *, boards: bool) -> None:
    """Print why a puzzle has no solution. `boards`: draw the cells that contradict each other."""
    if result.message:
        print(result.message)
    if boards and result.conflict and result.conflict.clues:
        print(conflict_board(problem, result.conflict))


def is_cut_off(result: Result) -> bool:
    """Whether all models were found of a formula that may be cut off, with clauses missing."""
    return result.status == "solved" and result.complete is False


def say_unused(name: str, result: Result) -> None:
    """Report the unused variables of a formula, because they multiply the number of models."""
    if not isinstance(result.problem, FormulaProblem) or len(result.solutions) < 2:
        return
    parsed = result.problem.parsed
    if unused := parsed.variables - len({*map(abs, parsed.written.numbers)} - {0}):
        are = "variable is" if unused == 1 else "variables are"
        meaning = "models that differ only there count separately"
        say(f"{name}: {unused:,} {are} in no clause; {meaning}")


def _say_status(item: Item, result: Result, *, only_problems: bool) -> None:
    """Print the status of a puzzle, and its conflict; or why there is no answer.

    `only_problems`: do not print the status of a puzzle that is proved to have one solution.
    """
    is_puzzle = isinstance(result.problem, PuzzleProblem)
    if result.status == "invalid":
        say_fault(item, result)
    elif is_puzzle and result.status != "failed":
        is_good = result.status == "unique" and result.certificate_label != "unverified"
        if not (only_problems and is_good):
            say(f"{item.name}: {status_line(result)}")
        if result.status == "unsolvable" and result.message:
            say(f"{item.name}: {result.message}")
    elif not result.complete and result.status != "solved":
        say(f"{item.name}: {result.status}: {result.message}")


def _say_notes(prefix: str, result: Result, settings: Settings) -> None:
    """Print notes on the result of a single puzzle or formula to standard error."""
    problem = result.problem
    if result.caveat:
        say(f"{prefix}{result.caveat}")
    unread = problem.unread if problem else ()
    if "ruleset" in unread or "drawings" in unread:
        subject = "the text of the rules was" if "ruleset" in unread else "the drawings were"
        rules = _rules_read(problem)
        say(f"{prefix}{subject} not read and may contain further rules; rules read: {rules}")
    if result.disagreement:
        say(f"{prefix}{result.disagreement}")
    if not settings.quiet:
        if result.difference:
            say(f"{prefix}{_difference_text(result.difference)}")
        if not isinstance(problem, PuzzleProblem):
            say_evidence(prefix, result)
        for text in _trait_sentences(result):
            say(f"{prefix}{text}")
    if result.solver and (why := result.solver.warning):
        say(f"{prefix}{why}; {result.solver.name} solved it")


def _difference_text(difference: Difference) -> str:
    """The number of cells in which solutions differ, and givens that would leave one solution."""
    clues = [f"{clue.value} at r{clue.row}c{clue.column}" for clue in difference.decisive]
    added = listed(clues)
    cells = f"{len(difference.cells)} cells"
    leaving = f"adding {added} would leave only one of them"
    return f"the solutions found differ in {cells}; {leaving}"


def _rules_read(problem: object) -> str:
    """Counts of the rules that were read, so that people can compare them with the unread text."""
    rules = problem.puzzle.rules if isinstance(problem, PuzzleProblem) else ()
    kinds = Counter(rule.caption() for rule in rules)
    counts = [f"{number} × {kind}" if number > 1 else kind for kind, number in kinds.items()]
    return ", ".join(counts) or "no rule"


def say_evidence(prefix: str, result: Result) -> None:
    """Print how completeness was proved, unless by an exhaustive search as usual."""
    certificate = result.certificate
    if certificate is None or not result.complete:
        return
    if certificate.by != "exhaustive-search" or certificate.reason:
        noun = result.problem.noun if result.problem else "solution"
        other = "other " * bool(result.solutions)
        say(f"{prefix}no {other}{noun}: {evidence(certificate)}")


def _unverified_reason(result: Result) -> str | None:
    """The message that completeness was not verified, with the reason; else None."""
    certificate = result.certificate
    if certificate is None or certificate.complete != "unverified":
        return None
    return evidence(certificate)


def _trait_sentences(result: Result) -> list[str]:
    """The requested traits as sentences."""
    traits, problem = result.traits, result.problem
    if traits is None or not isinstance(problem, PuzzleProblem):
        return []
    from pipeline.outbox.traits import TRAITS  # noqa: PLC0415 - rarely needed

    return [
        sentence
        for trait in TRAITS.values()
        for sentence in trait.sentences(traits, problem.puzzle)
    ]


def board_with_result(board: Board, result: Result) -> Board:
    """Add the first solution, the conflict and the difference of a result to a board."""
    conflict, difference = result.conflict, result.difference
    return replace(
        board,
        grid=result.solutions[0] if result.solutions else None,
        conflict=conflict.places() if conflict else (),
        difference=difference.cells if difference else (),
        rules_in_conflict=conflict.rules if conflict else (),
        unread=result.problem.unread if result.problem else (),
    )


def draw(target: Path, name: str, result: Result, *, puzzle_only: bool) -> None:
    """Draw a puzzle to a file, with its result unless `puzzle_only`.

    `name`: the name of the puzzle, for the title and messages.

    An invalid puzzle is not drawn. Raises InputError for a formula, or a puzzle that is too large.
    """
    from pipeline.outbox.report import TOO_LARGE, Board, board_svg  # noqa: PLC0415 - slow to load
    from pipeline.reading.formats.dimacs import FORMULA_REFUSED  # noqa: PLC0415

    if result.status == "invalid":
        return
    problem = result.problem
    if not isinstance(problem, PuzzleProblem):
        raise InputError(f"{name}: {FORMULA_REFUSED}")
    board = Board(problem.puzzle, symbols=symbols_of(problem.format))
    board = board if puzzle_only else board_with_result(board, result)
    if not board.is_drawable:
        raise InputError(f"{name}: {TOO_LARGE}")
    title = name if puzzle_only else f"{name}: {result.status}"
    write_drawings(target, [board_svg(board, title, "b", standalone=True)])


def write_drawings(target: Path, svgs: Sequence[str]) -> None:
    """Write SVG drawings as PNG or PDF if the name of the target ends so, else as SVG.

    A PDF has a page for each drawing; other files contain only the first. Raises UsageError if the
    extra for PNG and PDF is not installed.
    """
    kind = target.suffix.lower().removeprefix(".")
    if kind not in ("png", "pdf"):
        write_to(target, [svgs[0], "\n"])
        return
    from pipeline.outbox.report.typeset import typeset_picture  # noqa: PLC0415 - rarely needed

    content = typeset_picture(svgs, kind)
    with atomic_output(target) as file:
        file.write(content)


def print_times(results: Iterable[tuple[str, Result]]) -> None:
    """Print a table with a row per puzzle: status, size of the CNF, and seconds of each stage."""
    from rich import box  # noqa: PLC0415 - only needed here
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415

    console = Console(markup=False, highlight=False)
    if not console.is_terminal:
        console.width = 200
    is_narrow = console.width < _WIDE_TERMINAL
    style = box.SIMPLE if can_encode("─", sys.stdout) else box.ASCII
    table = Table(box=style, padding=(0, 0 if is_narrow else 1, 0, 0))
    max_name_width = console.width - _OTHER_COLUMNS_WIDTH if is_narrow else None
    table.add_column("file", no_wrap=is_narrow, min_width=10, max_width=max_name_width)
    table.add_column("status", no_wrap=True)
    for name in ("variables", "clauses", *STAGES):
        heading = f"{name[:-4]}-\n{name[-4:]}" if is_narrow and len(name) > 5 else name
        table.add_column(heading, justify="right", no_wrap=True)
    format_count = _short_count if is_narrow else str
    for name, result in results:
        counts = (len(result.cnf.candidates), result.cnf.size) if result.cnf else ()
        sizes = [format_count(count) for count in counts] or ["", ""]
        known = dict(result.seconds)
        if "batch" in known:  # the total includes other puzzles
            del known["total"]
        times = (f"{known[stage]:.3f}" if stage in known else "" for stage in STAGES)
        seconds = (_short_seconds(time) if is_narrow else time for time in times)
        table.add_row(printable(name), result.status, *sizes, *seconds)
    console.print(table)


def _short_count(number: int) -> str:
    """A number in at most five characters: 99999, 123k, 16.8M."""
    if number < 100_000:
        return str(number)
    return f"{number / 1e3:.0f}k" if number < 1_000_000 else f"{number / 1e6:.1f}M"


def _short_seconds(text: str) -> str:
    """Shorten a number of seconds to 5 characters, but not before the decimal point."""
    return text[: max(5, text.find("."))].rstrip(".")
