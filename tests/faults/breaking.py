"""Real processes of the command line that die, or fail, at a step of the protocol.

Starting Python for each would take most of the time, so one process is started that forks:
`Breaker` asks it, `python breaking.py` is it.
"""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TESTS = Path(__file__).parents[1]
KILL, FILL_DISK = "kill", "fill"


@dataclass(frozen=True)
class Breaker:
    """Starts commands in processes of their own."""

    process: subprocess.Popen[str]

    @classmethod
    @contextmanager
    def started(cls) -> Iterator[Breaker]:
        path = os.pathsep.join((str(TESTS), str(TESTS.parent)))
        kept = {k: v for k, v in os.environ.items() if not k.startswith("SUDOKU_PIPELINE_")}
        process = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=kept | {"PYTHONPATH": path},
        )
        with process:
            yield cls(process)
            process.stdin.close()

    def start(
        self, argv: list[str], log: Path, step: str = "", what: str = KILL, nth: int = 1
    ) -> int:
        """Start a command that breaks when it reaches the step for the n-th time; its pid.

        n = 0: at every time.
        """
        return self._ask("start", argv=argv, log=str(log), step=step, what=what, nth=nth)

    def wait(self, pid: int) -> int:
        """The exit code of a command, or minus the signal that killed it."""
        return self._ask("wait", pid=pid)

    def _ask(self, question: str, **values: Any) -> int:
        self.process.stdin.write(json.dumps({"question": question, **values}) + "\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline())


def _breaking(step: str, what: str, nth: int) -> Callable[[str], None]:
    seen = 0

    def on_step(name: str) -> None:
        nonlocal seen
        if name != step:
            return
        seen += 1
        if nth in (0, seen):
            if what == KILL:
                os.kill(os.getpid(), signal.SIGKILL)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    return on_step


def _run(request: dict[str, Any]) -> None:
    """In the child: the command, its output to the log."""
    from pipeline.cli import main
    from pipeline.dropbox import on_step

    sink = os.open(request["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    nowhere = os.open(os.devnull, os.O_RDONLY)
    for target, source in ((0, nowhere), (1, sink), (2, sink)):
        os.dup2(source, target)
    on_step.append(_breaking(request["step"], request["what"], request["nth"]))
    sys.argv = ["sudoku-pipeline", *request["argv"]]
    main()


def _serve() -> None:
    import pipeline.cli.commands  # noqa: F401 - loaded once, for all

    for line in sys.stdin:
        request = json.loads(line)
        if request["question"] == "wait":
            _, status = os.waitpid(request["pid"], 0)
            print(os.waitstatus_to_exitcode(status), flush=True)
            continue
        pid = os.fork()
        if pid:
            print(pid, flush=True)
            continue
        code = 1
        try:
            _run(request)
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else 0
        finally:
            sys.stderr.flush()
            os._exit(code)


if __name__ == "__main__":
    _serve()
