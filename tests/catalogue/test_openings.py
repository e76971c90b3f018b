"""The second rows of solutions: as many as are known, and no more orders than there is room for."""

from __future__ import annotations

import numpy as np

from pipeline.catalogue.forms import MOST_TIED, PAIRS
from pipeline.catalogue.openings import NO_ROW, openings_of


def test_there_are_12096_second_rows_in_15_classes():
    ranks = openings_of(3).ranks
    known = ranks[ranks != NO_ROW]
    assert len(known) == 12_096
    assert np.unique(known).tolist() == list(range(15))


def test_compiled_code_has_room_for_all_symmetries_that_can_lead_to_a_lowest_form():
    assert PAIRS * openings_of(3).how_many.max() == MOST_TIED
