"""Groups of constraints: `.Or….End`, `.And….End`, `.Replicate~cells….End`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pipeline.reading.formats.iss.machines import set_bits_of
from pipeline.reading.formats.iss.phrases import Arguments, Context, Phrase

OR, AND, REPLICATE, END = GROUPS = ("Or", "And", "Replicate", "End")
"""The types of the phrases that begin and end groups."""

_MAX_DEPTH = 20
_MAX_PHRASES = 20_000
"""Maximum number of constraints, including the copies of `.Replicate`."""


@dataclass(frozen=True, slots=True)
class ConstraintGroup:
    """A group of constraints: the phrase that begins it, and the phrases and groups inside it."""

    phrase: Phrase
    items: tuple[GroupItem, ...]


GroupItem = Phrase | ConstraintGroup


def group_phrases(phrases: Sequence[Phrase]) -> tuple[GroupItem, ...]:
    """Combine the phrases of each group, up to its `.End`, into one item. Raises InvalidPuzzle."""
    open_groups: list[tuple[Phrase | None, list[GroupItem]]] = [(None, [])]
    for phrase in phrases:
        name = phrase.name
        if name == END:
            opener, items = open_groups.pop()
            if opener is None:
                raise phrase.wrong(phrase.type, "a constraint, since no group is open")
            if not items:
                raise opener.wrong(opener.type, "a group of at least one constraint")
            phrase.check_ended()
            open_groups[-1][1].append(ConstraintGroup(opener, tuple(items)))
        elif name in GROUPS:
            if len(open_groups) > _MAX_DEPTH:
                raise phrase.wrong(phrase.type, f"groups nested at most {_MAX_DEPTH} deep")
            open_groups.append((phrase, []))
        else:
            open_groups[-1][1].append(phrase)
    opener, items = open_groups[-1]
    if opener is not None:
        raise opener.text.at_end(f"'.{END}' for '.{opener.name}'", "none")
    return tuple(items)


def phrases_in_groups(items: Sequence[GroupItem]) -> Iterator[tuple[Phrase, tuple[str, ...]]]:
    """Yield each phrase inside a group, and the types of the groups around it, outermost first."""
    for item in items:
        if isinstance(item, ConstraintGroup):
            outer = (item.phrase.name,)
            for child in item.items:
                if isinstance(child, Phrase):
                    yield child, outer
            for phrase, nested in phrases_in_groups(item.items):
                yield phrase, outer + nested


def expand_replicas(items: Sequence[GroupItem], context: Context) -> tuple[GroupItem, ...]:
    """Replace every `.Replicate` by an `.And` that contains the copies. Raises InvalidPuzzle."""
    return _Copier(context).copy_all(items, None)


class _Copier:
    """Copies constraints and groups, and limits the number of copies."""

    def __init__(self, context: Context) -> None:
        self._context, self._made = context, 0

    def copy_all(
        self, items: Sequence[GroupItem], shift: tuple[int, int] | None
    ) -> tuple[GroupItem, ...]:
        """Copy items, and expand each `.Replicate` in them.

        `shift`: how many rows down and columns to the right the cells are moved; None if the items
        are not inside a `.Replicate`.
        """
        return tuple(self._copy(item, shift) for item in items)

    def _copy(self, item: GroupItem, shift: tuple[int, int] | None) -> GroupItem:
        phrase = item if isinstance(item, Phrase) else item.phrase
        self._made += 1
        if self._made > _MAX_PHRASES:
            expected = f"at most {_MAX_PHRASES} constraints, counting copies"
            raise phrase.wrong(phrase.type, expected)
        if isinstance(item, Phrase):
            return replace(item, shift=shift) if shift else item
        if phrase.name != REPLICATE:
            phrase.check_ended()
            return ConstraintGroup(phrase, self.copy_all(item.items, shift))
        shifts = _shifts(Arguments(phrase, self._context), shift or (0, 0))
        opener = replace(phrase, type=phrase.type._replace(text=AND), words=())
        copies = (ConstraintGroup(opener, self.copy_all(item.items, offset)) for offset in shifts)
        return ConstraintGroup(opener, tuple(copies))


def _shifts(args: Arguments, shift: tuple[int, int]) -> Iterator[tuple[int, int]]:
    """Yield the shift of each copy of a `.Replicate` that is itself moved by `shift`."""
    expected = "the cells of copies in base64"
    word = args.next(expected)
    origin = args.cell() if args.has_more() else 0
    args.check_ended()
    geometry = args.geometry
    try:
        offsets = set_bits_of(word.text)
    except ValueError as error:
        raise args.wrong(word, f"{expected} ({error})") from None
    if not offsets:
        raise args.wrong(word, "at least one copy")
    row, column = geometry.place(origin)
    for offset in offsets:
        if origin + offset not in geometry.group_of(origin):
            raise args.wrong(word, "copies inside the grid")
        target_row, target_column = geometry.place(origin + offset)
        down, right = target_row - row + shift[0], target_column - column + shift[1]
        if geometry.cell_at(row + down, column + right) is None:
            raise args.wrong(word, "copies inside the grid")
        yield down, right
