"""Finished originals are moved aside: none is overwritten, and none gets into another."""

from __future__ import annotations

import os

import pytest

from pipeline.service.protocol.folders import move_back, move_to_shelf
from pipeline.service.protocol.overview import files_in


@pytest.fixture
def done(tmp_path):
    folder = tmp_path / "done"
    folder.mkdir()
    return folder


def aside(done, name, *, folder=False):
    """Move a fresh original aside; where it went, relative to `done`."""
    path = done.parent / "original"
    if folder:
        path.mkdir()
    (path / "a.txt" if folder else path).write_text("content")
    target = move_to_shelf(path, done, name)
    assert not path.exists()
    return str(target.relative_to(done))


def test_originals_of_one_name_lie_on_shelves_that_count_from_2(done):
    assert [aside(done, "a.txt") for _ in range(3)] == ["a.txt", "2/a.txt", "3/a.txt"]
    assert [aside(done, "set", folder=True) for _ in range(2)] == ["set", "2/set"]


@pytest.mark.parametrize("name", ["2", "3", "10", "0", "٢"])
def test_a_folder_whose_name_is_a_number_does_not_become_a_shelf(done, name):
    assert [aside(done, name, folder=True) for _ in range(2)] == [f"2/{name}", f"3/{name}"]
    assert [aside(done, "a.txt") for _ in range(4)] == ["a.txt", "2/a.txt", "3/a.txt", "4/a.txt"]
    assert [path.name for path in (done / "2" / name).iterdir()] == ["a.txt"]
    found = {str(path.relative_to(done)) for path in files_in(done)}
    assert found == {"a.txt", "2/a.txt", "3/a.txt", "4/a.txt", f"2/{name}", f"3/{name}"}


def test_a_file_whose_name_is_a_number_stays_one_and_shelves_go_round_it(done):
    assert aside(done, "2") == "2"
    assert aside(done, "2", folder=True) == "3/2"
    assert [aside(done, "a.txt") for _ in range(2)] == ["a.txt", "3/a.txt"]
    assert (done / "2").is_file()


def test_a_link_to_a_folder_whose_name_is_a_number_is_no_shelf(done):
    elsewhere = done.parent / "elsewhere"
    elsewhere.mkdir()
    (done / "2").symlink_to(elsewhere)
    assert [aside(done, "a.txt") for _ in range(2)] == ["a.txt", "3/a.txt"]
    assert list(elsewhere.iterdir()) == []


def test_a_link_of_its_own_is_moved_as_a_link(done):
    link = done.parent / "link"
    link.symlink_to(done)
    assert move_to_shelf(link, done, "2") == done / "2"
    assert (done / "2").is_symlink()


def test_a_file_or_link_with_a_number_for_a_name_is_an_original_and_no_shelf(tmp_path):
    (tmp_path / "2").write_text("a puzzle")
    (tmp_path / "3").mkdir()
    (tmp_path / "3/2").touch()
    (tmp_path / "4").symlink_to("/")
    found = [str(path.relative_to(tmp_path)) for path in files_in(tmp_path)]
    assert found == ["2", "3/2", "4"]
    assert list(files_in(tmp_path / "missing")) == []


@pytest.mark.parametrize("links", [True, False])
def test_what_returns_hides_nothing_also_where_there_are_no_hard_links(
    tmp_path, monkeypatch, links
):
    def refused(*_, **__):
        raise PermissionError

    if not links:
        monkeypatch.setattr(os, "link", refused)
    one, other = tmp_path / "one", tmp_path / "other"
    one.write_text("one")
    assert move_back(one, other)
    one.write_text("newer")
    assert not move_back(other, one)
    assert (one.read_text(), other.read_text()) == ("newer", "one")
