"""The web server. It serves the page, the requests of the page's script, and published files."""

from __future__ import annotations

import ipaddress
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO, Generic, TypeVar
from urllib.parse import quote, unquote

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.middleware.base import BaseHTTPMiddleware, RequestResponseEndpoint
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from pipeline.errors import InputError, UsageError, in_words, printable
from pipeline.files import is_file_name
from pipeline.outbox import is_listed
from pipeline.outbox.report import (
    MAX_PAGE_SECONDS,
    page_chunks,
    published_level,
    published_picture,
    steps_page,
)
from pipeline.service.protocol.folders import Folders
from pipeline.service.signals import EXIT_TEMPFAIL
from pipeline.settings import Settings
from pipeline.solving.solvers.child import EXIT_WAIT_SECONDS, Child, ended_within, start_child
from pipeline.web.client import Client, PasteError, queue
from pipeline.web.health import faults
from pipeline.web.home import home_page

_WATCH_CODE = "import sys; sys.path[:] = {path!r}; from pipeline.cli import main; main()"
"""Program of the child process that runs `watch`."""
_STANDARD_ERROR = 2
"""File descriptor of standard error, to which `watch` writes its log."""
_WAIT_SECONDS = 60.0
"""Seconds to wait at a time for the end of `watch`."""
_STOP_SECONDS = 2.0
"""Maximum seconds to wait for the end of the server thread."""
_MIN_PAUSE, _MIN_PAUSE_RATIO = 2.0, 9
"""Limits for the pause after a computation: minimum seconds, and minimum ratio to the duration of
the computation, which thus takes at most a tenth of the time."""

_YOUNG_NS = 1_000_000_000
"""Nanoseconds after a change of a folder in which another change may leave its mtime the same."""

_METRICS_FILE, _METRICS_TYPE = (
    "metrics.prom",
    "application/openmetrics-text; version=1.0.0; charset=utf-8",
)
"""The name and the content type of the metrics."""

_MAX_WAITING = 8
"""Maximum number of requests that wait for, or make, the steps or the drawing of a puzzle. Each of
them takes one of the threads that all requests share."""

_NOT_FOUND = "No such published file"
"""The message for a path that is no published file."""

_SANDBOX = {"Content-Security-Policy": "default-src 'none'; sandbox"}
"""The headers of published files: a browser must not run scripts in them."""

_BYTES = "application/octet-stream"
"""The content type of uploads. Browsers do not let forms of other sites send it."""

_CONTENT_TYPES = {".json": "application/json", ".xz": _BYTES}
"""Ending of a published file → its content type; other files are sent as plain text."""
_HEADERS = [
    ("Cache-Control", "no-store"),
    ("Content-Security-Policy", "frame-ancestors 'none'"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("X-Content-Type-Options", "nosniff"),
]
"""Headers of every response."""
_SERVER_OPTIONS: dict[str, Any] = {
    "http": "h11",
    "ws": "none",
    "lifespan": "off",
    "log_config": None,
}
_SERVER_OPTIONS |= {
    "access_log": False,
    "proxy_headers": False,
    "limit_concurrency": 512,
    "headers": _HEADERS,
}
"""Options of uvicorn."""


def serve(settings: Settings, on_start: Callable[[str], object], host: str, port: int) -> int:
    """Serve the page and watch the inbox until a stopping signal arrives.

    Calls `on_start` with the page's address. Returns the exit code of `watch` if that process exits
    first. Raises UsageError if the server cannot listen at `host` and `port`, EnvironmentFailure if
    a folder is missing.
    """
    folders = Folders(settings.inbox, settings.outbox)
    folders.prepare()
    with TemporaryDirectory() as folder, _listen(host, port) as listener:
        metrics = settings.metrics or Path(folder) / _METRICS_FILE
        site = _Site(folders, settings, metrics, host)
        with _watch_process(replace(settings, metrics=metrics)) as watcher:
            with _server_thread(site.application(), listener):
                name = f"[{host}]" if ":" in host else host
                on_start(f"http://{name}:{listener.getsockname()[1]}/")
                while not ended_within(watcher, _WAIT_SECONDS):
                    pass
            code = watcher.wait()
    return code if code >= 0 else EXIT_TEMPFAIL


def _listen(host: str, port: int) -> socket.socket:
    """Open the socket of the server. Raises UsageError."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except (OSError, UnicodeError) as error:
        raise UsageError(f"--host {printable(host)} --port {port}: {in_words(error)}") from error


@contextmanager
def _watch_process(settings: Settings) -> Iterator[Child]:
    """Run `watch` with these settings in a child process until the end of the `with` block."""
    argv = [sys.executable, "-c", _WATCH_CODE.format(path=sys.path), "watch"]
    with start_child(argv, output=_STANDARD_ERROR, variables=settings.variables) as process:
        try:
            yield process
        finally:
            if process.returncode is None:
                process.terminate()
                ended_within(process, settings.grace + EXIT_WAIT_SECONDS)


@contextmanager
def _server_thread(application: Starlette, listener: socket.socket) -> Iterator[None]:
    """Answer requests in another thread until the end of the `with` block."""
    server = uvicorn.Server(uvicorn.Config(application, **_SERVER_OPTIONS))
    thread = threading.Thread(target=server.run, args=[[listener]], daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.should_exit = True
        thread.join(_STOP_SECONDS)  # the thread may be busy with a long report


_T = TypeVar("_T")


class _Throttled(Generic[_T]):
    """A cached value. Requests compute it again, but for at most a tenth of the time."""

    def __init__(self, compute: Callable[[_T | None], _T]) -> None:
        """`compute` gets the previous value, or None."""
        self._compute, self._lock = compute, threading.Lock()
        self._value: _T | None = None
        self._next_time = 0.0

    def get(self) -> _T:
        with self._lock:
            begun = time.monotonic()
            if self._value is None or begun >= self._next_time:
                self._value = self._compute(self._value)
                ended = time.monotonic()
                pause = max(_MIN_PAUSE_RATIO * (ended - begun), _MIN_PAUSE)
                self._next_time = ended + pause
            return self._value


class _Site:
    """The request handlers.

    - `metrics`: the file of the metrics of `watch`.
    - `patience`: maximum seconds to wait for the steps or the drawing of another puzzle.
    """

    def __init__(
        self,
        folders: Folders,
        settings: Settings,
        metrics: Path,
        host: str,
        patience: float = 1.5 * MAX_PAGE_SECONDS,
    ) -> None:
        self._patience = patience
        self._folders, self._settings, self._metrics = folders, settings, metrics
        self._host = host.lower()
        self._client = Client(folders, settings)
        self._home = home_page()
        self._report = _Throttled(self._make_report)
        self._queue = _Throttled[dict[str, Any]](lambda _: queue(folders, settings.settle))
        self._steps_lock, self._check_lock = threading.Lock(), threading.Lock()
        self._waiting = threading.BoundedSemaphore(_MAX_WAITING)

    def application(self) -> Starlette:
        """The web application."""
        routes = [
            Route("/", self._send_home),
            Route("/report", self._send_report),
            Route("/dropped", self._recent_files),
            Route("/queue", self._send_queue),
            Route("/drop", self._receive_file, methods=["POST"]),
            Route("/steps", self._send_steps),
            Route("/level", self._send_level),
            Route("/picture", self._send_picture),
            Route("/health", self._send_health),
            Route("/metrics", self._send_metrics),
            Route("/{path:path}", self._send_file),
        ]
        guard = Middleware(BaseHTTPMiddleware, dispatch=self._refuse_other_sites)
        failures = dict.fromkeys((InputError, OSError, ClientDisconnect), _error_response)
        return Starlette(routes=routes, middleware=[guard], exception_handlers=failures)

    async def _refuse_other_sites(
        self, request: Request, answer: RequestResponseEndpoint
    ) -> Response:
        """Answer a request, unless it comes from another site."""
        refusal = PlainTextResponse(
            "Requests from other sites are refused; open this server's own page", 403
        )
        return await answer(request) if self._is_ours(request) else refusal

    def _is_ours(self, request: Request) -> bool:
        """Whether a request comes from our page, a program, or a link that someone clicked."""
        headers, host = request.headers, request.headers.get("host", "")
        if headers.get("origin", f"http://{host}") not in (f"http://{host}", f"https://{host}"):
            return False
        is_link = request.method == "GET" and headers.get("sec-fetch-dest") == "document"
        if not is_link and headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
            return False
        name = (host if host.endswith("]") else host.rpartition(":")[0] or host).strip("[]").lower()
        try:  # another site's host name could resolve to this machine; an address is safe
            return bool(ipaddress.ip_address(name))
        except ValueError:
            return name in ("localhost", self._host)

    def _send_home(self, _request: Request) -> Response:
        """Send the page on which puzzles are pasted and dropped."""
        return Response(self._home, media_type="text/html")

    def _send_report(self, request: Request) -> Response:
        """Send the report, unless the browser has this version of it."""
        version, page = self._report.get()
        tag = {"ETag": f'"{version}"'}
        if request.headers.get("if-none-match") == tag["ETag"]:
            return Response(status_code=304, headers=tag)
        return Response(page, media_type="text/html", headers=tag)

    def _make_report(self, before: tuple[str, bytes] | None) -> tuple[str, bytes]:
        """The version and content of the report; the previous ones if no folder has changed."""
        inbox, outbox = self._folders.inbox, self._folders.outbox
        changes = [folder.stat().st_mtime_ns for folder in (outbox, self._folders.done)]
        is_young = time.time_ns() - max(changes) < _YOUNG_NS
        version = "-".join(f"{time_ns:x}" for time_ns in changes) + "+" * is_young
        if before and before[0] == version and not is_young:
            return before
        chunks = page_chunks(outbox, inbox, outbox, served_version=version)
        return version, "".join(chunks).encode(errors="backslashreplace")

    def _send_queue(self, _request: Request) -> Response:
        """Send the files in each state, if they can be listed, and the faults."""
        found_faults = self._faults()
        try:
            return JSONResponse(self._queue.get() | {"faults": found_faults})
        except OSError as error:
            return JSONResponse({"faults": found_faults or [in_words(error)]})

    def _send_health(self, _request: Request) -> Response:
        """Send status 200 if dropped files are processed, else 503 and the reasons, as JSON."""
        reasons = self._faults()
        return JSONResponse({"healthy": not reasons, "reasons": reasons}, 503 if reasons else 200)

    def _send_metrics(self, _request: Request) -> Response:
        """Send the metrics of `watch`, in the OpenMetrics format."""
        metrics = self._read_metrics()
        if not metrics:
            return PlainTextResponse("there are no metrics yet: the first scan has not ended", 503)
        return Response(metrics, headers={"Content-Type": _METRICS_TYPE})

    def _faults(self) -> list[str]:
        return [*faults(self._folders, self._settings.timeout, self._read_metrics())]

    def _read_metrics(self) -> bytes:
        """The metrics of `watch`; empty before its first scan has ended."""
        try:
            return self._metrics.read_bytes()
        except OSError:
            return b""

    def _recent_files(self, _request: Request) -> Response:
        """Send the states of the latest dropped files as JSON."""
        return JSONResponse([file._asdict() for file in self._client.recent_files()])

    async def _receive_file(self, request: Request) -> Response:
        """Put the body of a request into the inbox."""
        if request.headers.get("content-type") != _BYTES:
            found = printable(repr(request.headers.get("content-type", "")))[:100]
            return PlainTextResponse(f"expected Content-Type: {_BYTES}, found {found}", 415)
        with self._client.new_upload() as file:
            async for chunk in request.stream():
                self._client.add(file, chunk)
            requested_name = unquote(request.headers.get("x-name", ""))
            if not requested_name and (error := await run_in_threadpool(self._paste_error, file)):
                return JSONResponse(error._asdict(), 422)
            # not in a thread: two uploads must not be placed at the same time
            name = self._client.place(file, requested_name)
        return JSONResponse({"name": name}, 201)

    def _paste_error(self, file: BinaryIO) -> PasteError | None:
        """Check a pasted text; one at a time, as parsing may take a second."""
        with self._check_lock:
            return self._client.paste_error(file)

    def _send_steps(self, request: Request) -> Response:
        """Send the page that shows the solving steps of a record's puzzle."""
        return self._render_record(
            request, steps_page, {"Content-Type": "text/html; charset=utf-8"}
        )

    def _send_level(self, request: Request) -> Response:
        """Send the level of a record's puzzle as text; empty if it has none."""
        return self._render_record(request, published_level, {"Content-Type": "text/plain"})

    def _send_picture(self, request: Request) -> Response:
        """Send the drawing of a record's puzzle and its solution, as an SVG file."""
        name = quote(Path(request.query_params.get("record", "")).stem, errors="replace")
        disposition = f"attachment; filename*=UTF-8''{name}.svg"
        headers = {"Content-Type": "image/svg+xml", "Content-Disposition": disposition} | _SANDBOX
        return self._render_record(request, published_picture, headers)

    def _render_record(
        self, request: Request, make: Callable[[Path, Path], str], headers: dict[str, str]
    ) -> Response:
        """Send the text that `make` returns for a record and the folder of originals.

        Only one request is served at a time.
        """
        try:
            record = self._published_file(request.query_params.get("record", ""))
        except OSError:
            return PlainTextResponse(_NOT_FOUND, 404)
        busy = PlainTextResponse("The server is busy with other puzzles; try again later", 503)
        if not self._waiting.acquire(blocking=False):
            return busy
        try:
            if not self._steps_lock.acquire(timeout=self._patience):
                return busy
            try:
                text = make(record, self._folders.done)
            finally:
                self._steps_lock.release()
        finally:
            self._waiting.release()
        return Response(text.encode(errors="backslashreplace"), headers=headers)

    def _published_file(self, name: str) -> Path:
        """A published file by its path in the outbox.

        Raises OSError for other files, hidden files and links.
        """
        path = self._folders.outbox
        for part in name.split("/"):
            path /= part
            if part.startswith(".") or not is_file_name(part) or path.is_symlink():
                raise FileNotFoundError
        if not path.is_file() or not is_listed(path):
            raise FileNotFoundError
        return path

    def _send_file(self, request: Request) -> Response:
        """Send a published file, by its path in the outbox. Hidden files and links are refused."""
        try:
            path = self._published_file(request.path_params["path"])
        except OSError:
            return PlainTextResponse(_NOT_FOUND, 404)
        return FileResponse(path, 200, _SANDBOX, _CONTENT_TYPES.get(path.suffix, "text/plain"))


async def _error_response(_request: Request, error: Exception) -> Response:
    """Answer a request that failed: an OSError with status 507, another error with 400."""
    if isinstance(error, OSError):
        return PlainTextResponse(in_words(error), 507)
    return PlainTextResponse(str(error), 400)
