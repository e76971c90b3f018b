"""`serve` as a process of its own, and a client that speaks HTTP as one likes."""

from __future__ import annotations

import json
import os
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPMessage
from pathlib import Path
from urllib.parse import quote

from support.drop_folders import DropFolder, environment, wait_for
from support.forks import Forked
from support.puzzles import children

BYTES = "application/octet-stream"


@dataclass(frozen=True)
class Answer:
    code: int
    headers: HTTPMessage
    data: bytes

    @property
    def text(self) -> str:
        return self.data.decode()


@dataclass(frozen=True)
class Served:
    """A running `serve` on a pair of folders."""

    box: DropFolder
    process: Forked
    address: str

    @property
    def port(self) -> int:
        return int(self.address.rstrip("/").rpartition(":")[2])

    def ask(self, method: str, path: str, body: bytes = b"", **headers: str) -> Answer:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=60)
        told = {name.replace("_", "-"): value for name, value in headers.items()}
        try:
            connection.request(method, path, body, told)
            response = connection.getresponse()
            return Answer(response.status, response.headers, response.read())
        finally:
            connection.close()

    def get(self, path: str = "/", **headers: str) -> Answer:
        return self.ask("GET", path, **headers)

    def drop(self, name: str, content: str | bytes, **headers: str) -> Answer:
        data = content.encode() if isinstance(content, str) else content
        own = {"Content_Type": BYTES, "X_Name": quote(name)}
        return self.ask("POST", "/drop", data, **own | headers)

    def given_name(self, name: str, content: str | bytes) -> str:
        """Drop something; the name that it has got."""
        answer = self.drop(name, content)
        assert answer.code == 201, answer.text
        return json.loads(answer.data)["name"]

    def dropped(self) -> dict[str, dict[str, object]]:
        return {each["name"]: each for each in json.loads(self.get("/dropped").data)}

    def done(self, name: str) -> dict[str, object]:
        """What is told of a dropped file when it is done."""
        wait_for(lambda: self.dropped()[name]["is_done"])
        return self.dropped()[name]

    def watch(self) -> int:
        """The process id of its watch; on Linux."""
        (watch,) = children(self.process.pid, b"\0watch\0")
        return watch

    @contextmanager
    def watch_paused(self) -> Iterator[None]:
        """Nothing touches the folders meanwhile, except what was asked for."""
        watch = self.watch()
        os.kill(watch, signal.SIGSTOP)
        try:
            wait_for(lambda: ") T " in Path(f"/proc/{watch}/stat").read_text())
            yield
        finally:
            os.kill(watch, signal.SIGCONT)

    def end(self, number: signal.Signals = signal.SIGINT) -> int:
        self.process.send_signal(number)
        return self.process.wait(60)


@contextmanager
def serving(box: DropFolder, *options: str) -> Iterator[Served]:
    """`serve` on any free port, killed on leaving if it has not ended."""
    folder = box.inbox.parent
    out, err = folder / "serve.out", folder / "serve.err"
    out.touch()
    folders = ("--inbox", str(box.inbox), "--outbox", str(box.outbox))
    argv = ["serve", "--port", "0", *folders, *options]
    process = Forked.command(argv, out, err, environment())
    try:
        found = wait_for(lambda: re.search(r"http://\S+", out.read_text()) or process.poll())
        assert not isinstance(found, int), err.read_text()
        yield Served(box, process, found[0])
    finally:
        process.kill()
        process.wait()
