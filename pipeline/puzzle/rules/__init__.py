"""Rules of variants: one file for each, or for a few that are nearly one.

A rule is data, what it means, its clauses and its drawing. A new one is a class, and its name here;
`docs/explanation/architecture.md` says what goes with it.
"""

from __future__ import annotations

from pipeline.puzzle.rules.cages.arrow import Arrow
from pipeline.puzzle.rules.cages.clone import Clone, SameValues
from pipeline.puzzle.rules.cages.killer import Cage
from pipeline.puzzle.rules.cages.quadruple import Quadruple
from pipeline.puzzle.rules.cages.sums import EqualSums, Sum
from pipeline.puzzle.rules.lines.between import Between
from pipeline.puzzle.rules.lines.lockout import Lockout
from pipeline.puzzle.rules.lines.nabner import Nabner
from pipeline.puzzle.rules.lines.palindrome import Palindrome
from pipeline.puzzle.rules.lines.region_sum import RegionSum
from pipeline.puzzle.rules.lines.renban import Renban
from pipeline.puzzle.rules.lines.sets import Entropic, Modular
from pipeline.puzzle.rules.lines.sums import DoubleArrow, Zipper
from pipeline.puzzle.rules.lines.thermometer import Thermometer
from pipeline.puzzle.rules.lines.whispers import Whispers
from pipeline.puzzle.rules.outside.little_killer import LittleKiller
from pipeline.puzzle.rules.outside.sandwich import Sandwich
from pipeline.puzzle.rules.outside.skyscraper import Skyscraper
from pipeline.puzzle.rules.outside.x_sum import XSum
from pipeline.puzzle.rules.pairs.apart import AntiKing, AntiKnight
from pipeline.puzzle.rules.pairs.extreme import Extreme
from pipeline.puzzle.rules.pairs.greater import Greater
from pipeline.puzzle.rules.pairs.indexer import Indexer
from pipeline.puzzle.rules.pairs.kropki import BlackDot, NoDots, WhiteDot
from pipeline.puzzle.rules.pairs.nonconsecutive import Nonconsecutive
from pipeline.puzzle.rules.pairs.parity import Among, Parity
from pipeline.puzzle.rules.pairs.xv import NoXV, PairSum
from pipeline.puzzle.rules.regions.diagonal import Diagonal
from pipeline.puzzle.rules.regions.disjoint import DisjointGroups
from pipeline.puzzle.rules.regions.region import ExtraRegion, Region
from pipeline.puzzle.rules.regions.windoku import Windoku

__all__ = [
    "Among",
    "AntiKing",
    "AntiKnight",
    "Arrow",
    "Between",
    "BlackDot",
    "Cage",
    "Clone",
    "Diagonal",
    "DisjointGroups",
    "DoubleArrow",
    "Entropic",
    "EqualSums",
    "ExtraRegion",
    "Extreme",
    "Greater",
    "Indexer",
    "LittleKiller",
    "Lockout",
    "Modular",
    "Nabner",
    "NoDots",
    "NoXV",
    "Nonconsecutive",
    "PairSum",
    "Palindrome",
    "Parity",
    "Quadruple",
    "Region",
    "RegionSum",
    "Renban",
    "SameValues",
    "Sandwich",
    "Skyscraper",
    "Sum",
    "Thermometer",
    "Whispers",
    "WhiteDot",
    "Windoku",
    "XSum",
    "Zipper",
]
