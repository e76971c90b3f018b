"""Marks: which file a process reads, and what others learn of it."""

from __future__ import annotations

import shutil

from pipeline.service.protocol.marks import Marks


def _fail(path, error):
    raise AssertionError(path) from error


def test_a_process_whose_folder_was_replaced_marks_what_it_reads_in_the_new_one(box):
    marks = Marks(box.folders.work, _fail)
    with marks.reading("a.txt"):
        pass
    shutil.rmtree(box.inbox)
    box.inbox.mkdir()
    box.folders.prepare()
    marks.take_over(())
    with marks.reading("a.txt"):
        assert len([*box.folders.work.glob(".reading-*")]) == 1
    marks.close()
    assert box.in_work() == set()
