"""The server as any program meets it: what it takes, shows, and refuses."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from html import unescape
from http.client import HTTPConnection
from itertools import count
from pathlib import Path
from urllib.parse import quote, unquote

import pytest
from defusedxml.ElementTree import fromstring
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse_metrics
from support.cases import for_each
from support.commands import run
from support.drop_folders import (
    ENDLESS,
    ENDLESSLY,
    OTHER,
    OTHER_SOLVED,
    SMALL,
    SMALL_SOLVED,
    DropFolder,
    record_text,
    wait_for,
)
from support.needs import needs_linux, needs_serve
from support.puzzles import UNIQUE
from support.servers import BYTES, serving

from pipeline import parse_puzzle
from pipeline.settings import Settings

pytestmark = needs_serve


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    box = DropFolder.within(tmp_path_factory.mktemp("served"))
    with serving(box, "--max-bytes", "5000", "--keep-cnf") as started:
        yield started


def test_what_is_dropped_is_solved_drawn_and_certified(served):
    name = served.given_name("drop.txt", SMALL)
    told = served.done(name)
    assert told["state"] == "unique"
    assert all(
        each in told["html"]
        for each in ("<svg", "drop.txt", "unique</span>: proved by exhaustive search")
    )
    assert served.box.text("drop_1.solution") == SMALL_SOLVED
    wait_for(lambda: "drop.txt" in served.box.kept("done"))


def test_the_steps_of_a_puzzle_are_a_click_away(served):
    told = served.done(served.given_name("steps.txt", SMALL))
    (address,) = re.findall(r'href="(steps\?record=[^"]+)"', told["html"])
    answer = served.get(f"/{address}")
    assert (answer.code, "Which technique is next?" in answer.text) == (200, True)
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    assert "script-src" in answer.text
    wait_for(lambda: f'href="{address}"' in served.get("/report").text)


@pytest.mark.parametrize("page", ["steps", "picture", "level"])
def test_only_records_of_puzzles_have_pages(served, page):
    served.done(served.given_name("paged.txt", SMALL))
    served.done(served.given_name("paged.cnf", "p cnf 1 1\n1 0\n"))
    for name in ("none.json", "../paged.json", ".paged.json", ""):
        assert served.get(f"/{page}?record={quote(name)}").code == 404
    for name in ("paged_1.solution", "paged.cnf.json", "paged.log"):
        assert served.get(f"/{page}?record={name}").code in (400, 404)
    assert served.get(f"/{page}?record=paged.json").code == 200


def test_a_request_that_waits_too_long_gets_503(box):
    from starlette.requests import Request

    from pipeline.web.server import _Site

    box.drop("a.txt")
    box.run("--settle", "0")
    site = _Site(box.folders, Settings(), box.outbox / "none", "localhost", patience=0.01)
    scope = {"type": "http", "query_string": b"record=a.json"}
    with site._steps_lock:
        answer = site._send_steps(Request(scope))
    assert (answer.status_code, b"try again later" in answer.body) == (503, True)
    assert site._send_steps(Request(scope)).status_code == 200


def test_requests_that_wait_for_steps_leave_threads_to_others(box):
    """Probes of /health would else wait until all these steps are made."""
    from starlette.requests import Request

    from pipeline.web import server

    box.drop("a.txt")
    box.run("--settle", "0")
    site = server._Site(box.folders, Settings(), box.outbox / "none", "localhost")
    request = Request({"type": "http", "query_string": b"record=a.json"})
    for _ in range(server._MAX_WAITING):
        site._waiting.acquire()
    with site._steps_lock:
        assert site._send_steps(request).status_code == 503  # at once
    site._waiting.release()
    for _ in range(2):
        assert site._send_steps(request).status_code == 200


def test_the_picture_of_a_puzzle_is_a_file_of_its_own(served):
    told = served.done(served.given_name("drawn.txt", SMALL))
    (address,) = re.findall(r'href="(picture\?record=[^"]+)" download', told["html"])
    answer = served.get(f"/{address}")
    assert answer.headers["Content-Type"] == "image/svg+xml"
    assert answer.headers["Content-Disposition"] == "attachment; filename*=UTF-8''drawn.svg"
    assert "sandbox" in ", ".join(answer.headers.get_all("Content-Security-Policy"))
    assert fromstring(answer.text).tag == "{http://www.w3.org/2000/svg}svg"


def test_a_result_links_to_the_puzzle_in_other_programs(served):
    told = served.done(served.given_name("linked back.txt", UNIQUE))
    (address,) = re.findall(r'href="(https://sudokupad.app/[^"]+)"', told["html"])
    assert parse_puzzle(address) == parse_puzzle(UNIQUE)


def test_a_pasted_text_that_is_not_a_puzzle_gets_422_with_the_position(served):
    before = served.box.waiting() | served.box.kept("failed")
    answer = served.drop("", "1...\n..2.\n.3q.\n...4\n")
    assert answer.code == 422
    assert json.loads(answer.data) == {
        "message": "expected a digit or a blank, found 'q'",
        "line": 3,
        "column": 3,
        "excerpt": ".3q.\n  ^",
        "read_as": "grid: 4 rows of 4 cells",
    }
    told = json.loads(served.drop("", "  ").data)
    assert (told["message"], told["line"]) == ("expected a puzzle, found an empty file", None)
    assert served.box.waiting() | served.box.kept("failed") == before
    assert not [name for name in served.dropped() if name.startswith("pasted")]


def test_the_queue_names_what_failed_and_counts_the_rest(served):
    served.done(served.given_name("wrong.txt", "1...\n..2.\n.3q.\n...4\n"))
    names = served.box.kept("failed")

    def queue() -> dict[str, object]:
        return json.loads(served.get("/queue").data)

    wait_for(lambda: queue()["failed"]["count"] == len(names))
    found = {each["name"]: each["note"] for each in queue()["failed"]["files"]}
    assert found["wrong.txt"] == "wrong.txt:3:3: expected a digit or a blank, found 'q'"
    assert queue()["faults"] == []
    assert queue()["waiting"] == queue()["in_progress"] == {"count": 0, "files": []}


def test_metrics_are_those_of_watch(served):
    served.done(served.given_name("counted.txt", SMALL))

    def unique_jobs() -> float:
        text = served.get("/metrics").text
        (family,) = [each for each in parse_metrics(text) if each.name == "sudoku_pipeline_jobs"]
        return sum(each.value for each in family.samples if each.labels["status"] == "unique")

    wait_for(lambda: served.get("/metrics").code == 200 and unique_jobs())
    kind = served.get("/metrics").headers["Content-Type"]
    assert kind == "application/openmetrics-text; version=1.0.0; charset=utf-8"


def test_health_is_200_while_the_inbox_is_scanned_else_503_with_reasons(box):
    with serving(box) as served:
        wait_for(lambda: served.get("/health").code == 200)
        assert json.loads(served.get("/health").data) == {"healthy": True, "reasons": []}
        box.outbox.rename(box.outbox.with_name("elsewhere"))
        answer = served.get("/health")
        told = {"healthy": False, "reasons": [f"--outbox {box.outbox}: no such folder"]}
        assert (answer.code, json.loads(answer.data)) == (503, told)


def test_the_settings_are_those_of_the_watch(served):
    served.done(served.given_name("settings.txt", SMALL))
    assert (served.box.outbox / "settings.cnf").exists()


def test_a_file_of_the_same_name_gets_another(served):
    assert served.given_name("same.txt", SMALL) == "same.txt"
    assert served.given_name("same.txt", OTHER) == "same-2.txt"
    assert all(served.done(name)["state"] == "unique" for name in ("same.txt", "same-2.txt"))
    assert served.box.text("same_1.solution") == SMALL_SOLVED
    assert served.box.text("same-2_1.solution") == OTHER_SOLVED


def test_files_of_one_name_that_come_at_once_are_all_solved(served):
    with ThreadPoolExecutor(8) as pool:
        names = [*pool.map(served.given_name, ["at once.txt"] * 8, [SMALL, OTHER] * 4)]
    assert {*names} == {"at once.txt", *(f"at once-{number}.txt" for number in range(2, 9))}
    assert {served.done(name)["state"] for name in names} == {"unique"}
    solved = [served.box.text(f"{Path(name).stem}_1.solution") for name in names]
    assert solved == [SMALL_SOLVED, OTHER_SOLVED] * 4


def test_what_is_no_puzzle_comes_back_with_its_reason(served):
    told = served.done(served.given_name("bad<b>.txt", "1...\n..2.\n.3q.\n...4\n"))
    assert told["state"] == "invalid"
    assert "bad_b_.txt:3:3: expected a digit or a blank, found &#39;q&#39;" in told["html"]
    assert "<b>" not in told["html"]


def test_a_name_leads_nowhere(served):
    assert served.given_name("../../../tmp/led.txt", SMALL) == "led.txt"
    assert served.done("led.txt")["state"] == "unique"


@pytest.mark.parametrize("path", ["/", "/report", "/steps?record=policy.json"])
def test_pages_load_nothing_from_elsewhere_and_run_only_their_own_script(served, path):
    served.done(served.given_name("policy.txt", SMALL))
    page = served.get(path)
    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    assert page.headers["Content-Security-Policy"] == "frame-ancestors 'none'"
    policy = unescape(re.findall(r'Content-Security-Policy" content="([^"]+)"', page.text)[0])
    assert policy.startswith("default-src 'none'; ")
    assert ("connect-src 'self'" in policy) == ("steps" not in path)
    assert "unsafe" not in policy
    assert not re.search(r"<[^>]+ (?:on\w+|style|src)=", page.text)


def test_a_changed_report_is_sent_once(served):
    served.done(served.given_name("shown.txt", SMALL))
    wait_for(lambda: "shown.txt" in served.get("/report").text)
    wait_for(lambda: not served.get("/report").headers["ETag"].endswith('+"'))
    tag = served.get("/report").headers["ETag"]
    assert f"data-version={tag}" in served.get("/report").text
    assert served.get("/report", If_None_Match=tag).code == 304
    served.done(served.given_name("shown next.txt", SMALL))
    wait_for(lambda: served.get("/report", If_None_Match=tag).code == 200)


def test_the_page_is_not_made_for_every_request(served):
    """What is published just after a request is not on the page of the next one."""
    numbers = count()

    def is_kept() -> bool:
        before, name = served.get("/report").text, f"later-{next(numbers)}"
        (served.box.outbox / f"{name}.json").write_text(record_text(f"{name}.txt"))
        return served.get("/report").text == before

    wait_for(is_kept)
    wait_for(lambda: "later-0.txt" in served.get("/report").text)


def test_every_link_of_the_page_leads_to_the_published_file(served):
    served.done(served.given_name("linked.txt", SMALL))
    wait_for(lambda: "linked.txt" in served.get("/report").text)
    links = re.findall(r'href="([^"#/][^"?]*)"', served.get("/report").text)
    assert {"linked_1.solution", "linked.json", "linked.log"} <= {*links}
    for link in links:
        answer = served.get(f"/{link}")
        assert answer.code == 200, link
        assert answer.data == (served.box.outbox / unquote(link)).read_bytes()
        assert "sandbox" in ", ".join(answer.headers.get_all("Content-Security-Policy"))
    kinds = {
        each: served.get(f"/linked{each}").headers["Content-Type"] for each in (".json", ".log")
    }
    assert kinds == {".json": "application/json", ".log": "text/plain; charset=utf-8"}


@for_each(
    "path",
    [
        *("/../inbox/done/a.txt", "/%2e%2e/serve.out", "/..%2fserve.out", "//etc/passwd", "/."),
        *("/%2fetc%2fpasswd", "/link", "/way/serve.out", "/folder", "/no.json", "/a%00.json"),
    ],
)
def test_nothing_but_published_files_is_shown(served, path):
    outbox = served.box.outbox
    for name, target in (("link", "/etc/passwd"), ("way", served.box.inbox.parent)):
        if not (outbox / name).is_symlink():
            (outbox / name).symlink_to(target)
    (outbox / "folder").mkdir(exist_ok=True)
    assert served.get(path).code == 404


def test_what_nobody_has_published_is_not_shown(served):
    """The lock, a growing table and its tree, another's file; a tree's own files are published."""
    outbox, inner = served.box.outbox, ".3f.2a-20260730T101502-00-0t.tmp"
    hidden = {".lock": "", ".3f.2a-20260730T101502-00-1g.tmp": "x", "notes.txt": "x"}
    shown = {"tree/a_1.solution": SMALL_SOLVED, "tree/a.json": record_text("a", "a_1.solution")}
    hidden |= {f"{inner}/{name}": text for name, text in shown.items()}
    for name, text in (hidden | shown).items():
        (outbox / name).parent.mkdir(parents=True, exist_ok=True)
        (outbox / name).write_text(text)
    assert [name for name in hidden if served.get(f"/{quote(name)}").code != 404] == []
    assert [name for name in shown if served.get(f"/{name}").code != 200] == []
    for path in (f"/tree/{'a' * 252}", "/tree" * 1000):  # longer than names and paths can be
        assert served.get(path).code == 404


@needs_linux
def test_the_outbox_is_not_listed_for_a_file(served):
    """To list a folder updates the time of its last access, if that is long ago."""
    served.done(served.given_name("listed.txt", SMALL))
    outbox = served.box.outbox

    def accessed_after(look) -> float:
        os.utime(outbox, (0, outbox.stat().st_mtime))
        look()
        return outbox.stat().st_atime

    with served.watch_paused():
        if not accessed_after(lambda: [*outbox.iterdir()]):
            pytest.skip("this filesystem does not keep times of access")
        assert accessed_after(lambda: served.get("/listed_1.solution")) == 0
        assert served.get("/listed_1.solution").text == SMALL_SOLVED


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "127.0.0.1.evil.example:80"},
        {"Host": "localhost.evil.example"},
        {"Host": ""},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},
    ],
    ids=str,
)
def test_pages_of_others_are_refused(served, headers):
    for path in ("/", "/report", "/dropped", "/queue", "/health", "/metrics", "/drop.json"):
        assert served.get(path, **headers).code == 403
    assert served.drop("evil.txt", SMALL, **headers).code == 403
    assert "evil.txt" not in served.dropped()


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "[::1]", "LOCALHOST:99", "10.0.0.7:80"])
def test_names_that_cannot_be_of_others_are_let_in(served, host):
    assert served.get("/dropped", Host=host, Origin=f"http://{host}").code == 200


def test_a_link_of_another_site_opens_the_page_and_does_nothing_else(served):
    link = {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Dest": "document"}
    assert served.get("/", **link).code == 200
    assert served.drop("evil.txt", SMALL, **link).code == 403


@pytest.mark.parametrize("kind", ["text/plain", "multipart/form-data; boundary=x", ""])
def test_what_a_form_could_send_is_not_taken(served, kind):
    assert served.drop("form.txt", SMALL, Content_Type=kind).code == 415


@pytest.mark.parametrize(
    ("method", "path"), [("PUT", "/drop"), ("DELETE", "/drop.json"), ("POST", "/")]
)
def test_nothing_else_is_done(served, method, path):
    assert served.ask(method, path, b"x").code == 405


@pytest.mark.parametrize(
    ("data", "why"), [(b"", "the file is empty"), (b"." * 5001, "larger than 5000")]
)
def test_too_little_and_too_much_is_refused(served, data, why):
    answer = served.drop("size.txt", data)
    assert answer.code == 400
    assert why in answer.text
    assert not [name for name in served.box.waiting() if name.startswith(".incoming")]


def test_a_half_sent_file_is_not_taken_and_leaves_nothing(served):
    connection = HTTPConnection("127.0.0.1", served.port, timeout=60)
    connection.putrequest("POST", "/drop")
    for name, value in (("Content-Type", BYTES), ("X-Name", "half.txt"), ("Content-Length", "20")):
        connection.putheader(name, value)
    connection.endheaders(SMALL[:10].encode())
    wait_for(lambda: any(name.startswith(".incoming") for name in served.box.waiting()))
    assert "half.txt" not in served.dropped()
    connection.close()
    wait_for(lambda: not any(name.startswith(".incoming") for name in served.box.waiting()))
    assert "half.txt" not in served.dropped()


def test_connections_that_send_nothing_leave_room_for_others(served):
    with ExitStack() as stack:
        for sent in [b"", b"GET / HTTP/1.1\r\n"] * 50:
            idle = socket.create_connection(("127.0.0.1", served.port), timeout=60)
            stack.enter_context(idle).sendall(sent)
        assert served.get("/dropped").code == 200


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_well_and_the_watch_with_it(box, number):
    with serving(box, "--grace", "0", "--solver", "pysat", *ENDLESSLY) as served:
        served.given_name("endless.txt", ENDLESS)
        wait_for(box.computing)
        assert served.dropped()["endless.txt"]["state"].startswith("in progress")
        assert served.end(number) == 0
        assert box.waiting() == {"endless.txt"}
        assert box.in_work() == set()


@needs_linux
def test_if_the_watch_is_killed_it_ends_with_75(box):
    with serving(box) as served:
        os.kill(served.watch(), signal.SIGKILL)
        assert served.process.wait(60) == 75


def test_it_listens_only_on_this_machine(served):
    others = {each[4][0] for each in socket.getaddrinfo(socket.gethostname(), None)}
    for address in others - {"127.0.0.1", "::1", "127.0.1.1"}:
        with pytest.raises(OSError, match=r"refused|unreachable"):
            socket.create_connection((address, served.port), timeout=5)


def test_an_address_that_cannot_be_had_is_a_usage_error(served, box):
    folders = ("--inbox", str(box.inbox), "--outbox", str(box.outbox))
    code, _, said = run("serve", *folders, "--port", str(served.port))
    assert code == 2
    assert f"--host 127.0.0.1 --port {served.port}: Address already in use" in said
    assert run("serve", *folders, "--host", "no such name", "--port", "0")[0] == 2


def test_a_missing_inbox_is_said_at_once(tmp_path):
    code, printed, said = run("serve", "--inbox", str(tmp_path / "no"), "--outbox", str(tmp_path))
    assert (code, printed) == (1, "")
    assert "no such folder" in said


def test_without_the_extra_it_says_which_one(monkeypatch):
    monkeypatch.setattr("pipeline.errors.find_spec", lambda name: None)
    code, _, said = run("serve")
    assert (code, "the extra [serve]" in said) == (2, True)
