"""The web server. It serves the page, the requests of the page's script, and published files."""

from __future__ import annotations

import ipaddress
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.base import BaseHTTPMiddleware, RequestResponseEndpoint
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from pipeline.errors import InputError, UsageError, in_words, printable
from pipeline.files import is_file_name
from pipeline.outbox import is_listed
from pipeline.outbox.report import WebPanel, page_chunks, steps_page
from pipeline.service.protocol.folders import Folders
from pipeline.service.signals import EXIT_TEMPFAIL
from pipeline.settings import Settings
from pipeline.solving.solvers.child import EXIT_WAIT_SECONDS, Child, ended_within, start_child
from pipeline.web.client import Client

_WATCH_CODE = "import sys; sys.path[:] = {path!r}; from pipeline.cli import main; main()"
"""Program of the child process that runs `watch`."""
_STANDARD_ERROR = 2
"""File descriptor of standard error, to which `watch` writes its log."""
_WAIT_SECONDS = 60.0
"""Seconds to wait at a time for the end of `watch`."""
_STOP_SECONDS = 2.0
"""Maximum seconds to wait for the end of the server thread."""
_MIN_REPORT_PAUSE, _MIN_PAUSE_RATIO = 2.0, 9
"""Minimum seconds between the end of a report and the start of the next, and minimum ratio of this
pause to the duration of the report. Reports thus take at most a tenth of the time."""

_NOT_FOUND = "No such published file"
"""The message for a path that is no published file."""

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
    with _listen(host, port) as listener, _watch_process(settings) as watcher:
        with _server_thread(_Site(folders, settings.max_bytes, host).application(), listener):
            on_start(f"http://{f'[{host}]' if ':' in host else host}:{listener.getsockname()[1]}/")
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


class _Site:
    """The request handlers."""

    def __init__(self, folders: Folders, max_bytes: int, host: str) -> None:
        self._folders = folders
        self._host = host.lower()
        self._client = Client(folders, max_bytes)
        files = [Path(__file__).with_name(f"panel.{kind}") for kind in ("html", "css", "js")]
        self._panel = WebPanel(*(file.read_text(encoding="utf-8") for file in files))
        self._lock, self._steps_lock = threading.Lock(), threading.Lock()
        self._report, self._next_report_time = b"", 0.0

    def application(self) -> Starlette:
        """The web application."""
        routes = [
            Route("/", self._send_page),
            Route("/dropped", self._recent_files),
            Route("/drop", self._receive_file, methods=["POST"]),
            Route("/steps", self._send_steps),
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

    def _send_page(self, _request: Request) -> Response:
        """Send the page: the report with the panel. A report is reused until a new one is due."""
        with self._lock:
            begun, outbox = time.monotonic(), self._folders.outbox
            if begun >= self._next_report_time:
                chunks = page_chunks(outbox, self._folders.inbox, outbox, panel=self._panel)
                self._report = "".join(chunks).encode(errors="backslashreplace")
                ended = time.monotonic()
                self._next_report_time = ended + max(
                    _MIN_PAUSE_RATIO * (ended - begun), _MIN_REPORT_PAUSE
                )
            return Response(self._report, media_type="text/html")

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
            # not in a thread: two uploads must not be placed at the same time
            name = self._client.place(file, requested_name)
        return JSONResponse({"name": name}, 201)

    def _send_steps(self, request: Request) -> Response:
        """Send the page that shows the solving steps of a record's puzzle.

        Such pages are made one at a time.
        """
        try:
            record = self._published_file(request.query_params.get("record", ""))
        except OSError:
            return PlainTextResponse(_NOT_FOUND, 404)
        with self._steps_lock:
            page = steps_page(record, self._folders.done)
        return Response(page.encode(errors="backslashreplace"), media_type="text/html")

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
        sandbox = {"Content-Security-Policy": "default-src 'none'; sandbox"}
        return FileResponse(path, 200, sandbox, _CONTENT_TYPES.get(path.suffix, "text/plain"))


async def _error_response(_request: Request, error: Exception) -> Response:
    """Answer a request that failed: an OSError with status 507, another error with 400."""
    if isinstance(error, OSError):
        return PlainTextResponse(in_words(error), 507)
    return PlainTextResponse(str(error), 400)
