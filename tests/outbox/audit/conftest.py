"""The outbox that the tests of a module audit, and a copy to tamper with."""

from __future__ import annotations

import pytest
from support.outboxes import changes_in, linked, made, shared


@pytest.fixture(scope="module")
def original(request, tmp_path_factory):
    """What became of the module's FILES with its OPTIONS, made once for all workers."""
    module = request.module

    def make(folder):
        outbox = made(folder, module.FILES, *getattr(module, "OPTIONS", ()))
        getattr(module, "prepare", lambda _: None)(outbox)

    outbox = shared(tmp_path_factory, module.__name__.rpartition(".")[2], make)
    before = changes_in(outbox)
    yield outbox
    assert changes_in(outbox) == before, "a test wrote to files that others read"


@pytest.fixture
def outbox(original, tmp_path):
    return linked(original, tmp_path)
