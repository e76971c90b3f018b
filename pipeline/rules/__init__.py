"""Rules of variants: one file for each, or for a few that are nearly one.

A rule is data, what it means, its clauses and its drawing. A new one is a class, and its name here;
`docs/explanation/architecture.md` says what goes with it.
"""

from __future__ import annotations

from pipeline.rules.cages.arrow import Arrow
from pipeline.rules.cages.clone import Clone, SameValues
from pipeline.rules.cages.killer import Cage
from pipeline.rules.cages.quadruple import Quadruple
from pipeline.rules.cages.sums import EqualSums, Sum
from pipeline.rules.lines.between import Between
from pipeline.rules.lines.lockout import Lockout
from pipeline.rules.lines.nabner import Nabner
from pipeline.rules.lines.palindrome import Palindrome
from pipeline.rules.lines.region_sum import RegionSum
from pipeline.rules.lines.renban import Renban
from pipeline.rules.lines.sets import Entropic, Modular
from pipeline.rules.lines.sums import DoubleArrow, Zipper
from pipeline.rules.lines.thermometer import Thermometer
from pipeline.rules.lines.whispers import Whispers
from pipeline.rules.outside.little_killer import LittleKiller
from pipeline.rules.outside.sandwich import Sandwich
from pipeline.rules.outside.skyscraper import Skyscraper
from pipeline.rules.outside.x_sum import XSum
from pipeline.rules.pairs.apart import AntiKing, AntiKnight
from pipeline.rules.pairs.extreme import Extreme
from pipeline.rules.pairs.greater import Greater
from pipeline.rules.pairs.indexer import Indexer
from pipeline.rules.pairs.kropki import BlackDot, NoDots, WhiteDot
from pipeline.rules.pairs.nonconsecutive import Nonconsecutive
from pipeline.rules.pairs.parity import Among, Parity
from pipeline.rules.pairs.xv import NoXV, PairSum
from pipeline.rules.regions.diagonal import Diagonal
from pipeline.rules.regions.disjoint import DisjointGroups
from pipeline.rules.regions.region import ExtraRegion, Region
from pipeline.rules.regions.windoku import Windoku

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
