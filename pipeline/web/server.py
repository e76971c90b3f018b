"""The web server: the page, the requests of its script, and published files."""

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
from pipeline.outbox.report import Panel, page_chunks
from pipeline.service.protocol.folders import Folders
from pipeline.service.signals import EXIT_TEMPFAIL
from pipeline.settings import Settings
from pipeline.solving.solvers.child import EXIT_TIMEOUT, Child, ended_within, start_child
from pipeline.web.client import Client

_WATCH_CODE = "import sys; sys.path[:] = {path!r}; from pipeline.cli import main; main()"
_STANDARD_ERROR, _WAIT_SECONDS, _STOP_SECONDS = 2, 60.0, 2.0
_MIN_REPORT_PAUSE, _SHARE = 2.0, 10
"""Minimum seconds between reports; at most a tenth of the time is spent on them."""

_BYTES = "application/octet-stream"
"""The content type of dropped files, which a form on another site cannot send."""

_CONTENT_TYPES = {".json": "application/json", ".xz": _BYTES}
_HEADERS = [
    ("Cache-Control", "no-store"),
    ("Content-Security-Policy", "frame-ancestors 'none'"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("X-Content-Type-Options", "nosniff"),
]
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


def serve(settings: Settings, say: Callable[[str], object], host: str, port: int) -> int:
    """Serve the page and watch the inbox until a signal. `say` is called with the page's address.

    Returns the exit code of `watch` if it exits by itself. Raises UsageError if the address is not
    available, EnvironmentFailure if a folder is missing.
    """
    folders = Folders(settings.inbox, settings.outbox)
    folders.prepare()
    with _listen(host, port) as listening, _watching(settings) as watching:
        with _answering(_Site(folders, settings.max_bytes, host).application(), listening):
            say(f"http://{f'[{host}]' if ':' in host else host}:{listening.getsockname()[1]}/")
            while not ended_within(watching, _WAIT_SECONDS):
                pass
        code = watching.wait()
        return code if code >= 0 else EXIT_TEMPFAIL


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except (OSError, UnicodeError) as error:
        raise UsageError(f"--host {printable(host)} --port {port}: {in_words(error)}") from error


@contextmanager
def _watching(settings: Settings) -> Iterator[Child]:
    """Run `watch` with these settings in a child process, which is stopped at the end."""
    argv = [sys.executable, "-c", _WATCH_CODE.format(path=sys.path), "watch"]
    with start_child(argv, output=_STANDARD_ERROR, variables=settings.variables) as process:
        try:
            yield process
        finally:
            if process.returncode is None:
                process.terminate()
                ended_within(process, settings.grace + EXIT_TIMEOUT)


@contextmanager
def _answering(application: Starlette, listening: socket.socket) -> Iterator[None]:
    """Answer requests in another thread, until the end of the `with` block."""
    server = uvicorn.Server(uvicorn.Config(application, **_SERVER_OPTIONS))
    thread = threading.Thread(target=server.run, args=[[listening]], daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.should_exit = True
        thread.join(_STOP_SECONDS)  # it may be busy with a long report


class _Site:
    """The request handlers."""

    def __init__(self, folders: Folders, max_bytes: int, host: str) -> None:
        self._folders = folders
        self._host = host.lower()
        self._client = Client(folders, max_bytes)
        files = [Path(__file__).with_name(f"panel.{kind}") for kind in ("html", "css", "js")]
        self._panel = Panel(*(file.read_text(encoding="utf-8") for file in files))
        self._lock = threading.Lock()
        self._report, self._next = b"", 0.0

    def application(self) -> Starlette:
        routes = [
            Route("/", self._page),
            Route("/dropped", self._dropped),
            Route("/drop", self._drop, methods=["POST"]),
            Route("/{path:path}", self._file),
        ]
        guard = Middleware(BaseHTTPMiddleware, dispatch=self._refuse_other_sites)
        failures = dict.fromkeys((InputError, OSError, ClientDisconnect), _error_response)
        return Starlette(routes=routes, middleware=[guard], exception_handlers=failures)

    async def _refuse_other_sites(
        self, request: Request, answer: RequestResponseEndpoint
    ) -> Response:
        refusal = PlainTextResponse("Requests from other sites are not allowed", 403)
        return await answer(request) if self._is_ours(request) else refusal

    def _is_ours(self, request: Request) -> bool:
        """Whether a request comes from our page, from no page, or from a link on another site."""
        headers, host = request.headers, request.headers.get("host", "")
        if headers.get("origin", f"http://{host}") not in (f"http://{host}", f"https://{host}"):
            return False
        is_link = request.method == "GET" and headers.get("sec-fetch-dest") == "document"
        if not is_link and headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
            return False
        name = (host if host.endswith("]") else host.rpartition(":")[0] or host).strip("[]").lower()
        try:  # a foreign host name could resolve to us; an address cannot
            return bool(ipaddress.ip_address(name))
        except ValueError:
            return name in ("localhost", self._host)

    def _page(self, _request: Request) -> Response:
        """The page: the report with the panel. A recent one is reused."""
        with self._lock:
            begun, outbox = time.monotonic(), self._folders.outbox
            if begun >= self._next:
                chunks = page_chunks(outbox, self._folders.inbox, outbox, panel=self._panel)
                self._report = "".join(chunks).encode(errors="backslashreplace")
                ended = time.monotonic()
                self._next = ended + max((_SHARE - 1) * (ended - begun), _MIN_REPORT_PAUSE)
            return Response(self._report, media_type="text/html")

    def _dropped(self, _request: Request) -> Response:
        return JSONResponse([file._asdict() for file in self._client.recent_files()])

    async def _drop(self, request: Request) -> Response:
        if request.headers.get("content-type") != _BYTES:
            return PlainTextResponse(f"expected {_BYTES}", 415)
        with self._client.receiving() as file:
            async for chunk in request.stream():
                self._client.add(file, chunk)
            wanted = unquote(request.headers.get("x-name", ""))
            name = self._client.place(
                file, wanted
            )  # not in a thread, so that only one runs at a time
        return JSONResponse({"name": name}, 201)

    def _file(self, request: Request) -> Response:
        """A published file by its path in the outbox; no hidden names, and no links."""
        path = self._folders.outbox
        try:
            for name in request.path_params["path"].split("/"):
                path /= name
                if name.startswith(".") or not is_file_name(name) or path.is_symlink():
                    raise FileNotFoundError
            if not path.is_file() or not is_listed(path):
                raise FileNotFoundError
        except OSError:
            return PlainTextResponse("No such file", 404)
        alone = {"Content-Security-Policy": "default-src 'none'; sandbox"}
        return FileResponse(path, 200, alone, _CONTENT_TYPES.get(path.suffix, "text/plain"))


async def _error_response(_request: Request, error: Exception) -> Response:
    is_ours = isinstance(error, OSError)
    return PlainTextResponse(in_words(error) if is_ours else str(error), 507 if is_ours else 400)
