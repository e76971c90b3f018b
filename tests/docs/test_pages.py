"""The pages name nothing that is missing, and keep the promises of README and trust.md."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from pathlib import PurePosixPath

from support.cases import for_each
from support.pages import BLOCKS, COMMANDS, MADE, PAGES, ROOT


def without_code(text: str) -> str:
    """A page without its blocks of code and what is marked as code."""
    return re.sub(r"^```.*?^```$|`[^`\n]+`|^    [^\n]*$", "", text, flags=re.MULTILINE | re.DOTALL)


TEXT = "\n".join(text for page, text in PAGES.items() if page not in MADE)
LINK = re.compile(r"\]\(([^)\s]+)\)")
OUR_OPTIONS = {
    flag
    for command in COMMANDS.values()
    for each in command.params
    for flag in each.opts
    if flag.startswith("-") and not getattr(each, "hidden", False)
} | {"--help", "--install-completion", "--show-completion", "--version"}
OTHERS_OPTIONS = """\
--also --puzzle-only (until 1.1)
--build-arg --detach --name --profile --user --userns (docker, podman)
--collector (prometheus-node-exporter)
--editable (pip) --format --headless --print-to-pdf --no-pdf-header-footer (chromium)
--failed --now (systemctl) --home-dir --system (useradd) --loud (a script)
--install (wsl) --nthreads --nworkers (dask) --since (journalctl) --strict (mkdocs)"""
"""Options of other programs."""


def anchors(page: str) -> set[str]:
    """The ids of a page's headings, as both MkDocs and forges make them of plain words."""
    text = re.sub(r"^```.*?^```$", "", PAGES[page], flags=re.MULTILINE | re.DOTALL)
    return {slug(heading) for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE)}


def slug(heading: str) -> str:
    """`What is proved` → `what-is-proved`."""
    plain = unicodedata.normalize("NFKD", heading).encode("ascii", "ignore").decode()
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", plain).strip().lower())


LINKS = [(page, target) for page in PAGES for target in LINK.findall(without_code(PAGES[page]))]


def test_links_and_their_anchors_are_found():
    assert len(LINKS) > 100
    assert sum("#" in target for _, target in LINKS) > 50
    assert slug("Many puzzles, or `one`") == "many-puzzles-or-one"


@for_each("page", PAGES)
def test_every_link_leads_somewhere(page):
    for source, target in LINKS:
        if source != page:
            continue
        if "://" in target:
            assert re.fullmatch(r"https?://[a-z0-9.-]+\.[a-z]+(/\S*)?", target)
            continue
        path, _, anchor = target.partition("#")
        found = (ROOT / page).parent.joinpath(path).resolve() if path else ROOT / page
        assert found.exists(), target
        assert not page.startswith("docs/") or found.is_relative_to(ROOT / "docs"), target
        if anchor:
            assert anchor in anchors(str(found.relative_to(ROOT))), target


@for_each("page", [page for page in PAGES if page.startswith("docs/")])
def test_every_page_of_the_site_is_linked_from_the_readme_or_its_start(page):
    """The pages of techniques are linked from the page of steps, or that of all techniques."""
    starts = ["README.md", "docs/index.md"]
    if page.startswith("docs/reference/techniques/"):
        starts = ["docs/reference/steps.md", "docs/reference/techniques/index.md"]
    linked = {
        str(PurePosixPath((ROOT / source).parent.joinpath(target.partition("#")[0]).resolve()))
        for source, target in LINKS
        if source in starts
    }
    assert page == "docs/index.md" or str((ROOT / page).resolve()) in linked


def test_pictures_are_small():
    """The SVG of the terminal fetches nothing, such as the fonts that rich names."""
    pictures = sorted((ROOT / "docs" / "assets" / "pictures").iterdir())
    shown = {target for _, target in LINKS if "/pictures/" in target}
    assert {path.name for path in pictures} == {PurePosixPath(each).name for each in shown}
    assert [path.name for path in pictures if path.stat().st_size > 150_000] == []
    assert "url(http" not in (ROOT / "docs" / "assets" / "pictures" / "terminal.svg").read_text()


def test_every_file_that_is_named_is_there():
    ours = r"(?<![\w/])(?:examples|tests|bench|deploy|docs)/[\w./-]*\w|`pipeline/[\w./-]*\w"
    named = {name.lstrip("`") for name in re.findall(ours, TEXT)}
    assert "examples/even-odd.sudoku" in named
    assert [name for name in named if not (ROOT / name).exists()] == []


@for_each("command", COMMANDS)
def test_every_command_is_explained_by_hand(command):
    assert re.search(rf"sudoku-pipeline {command}\b|`{command}\b", TEXT)


@for_each("flag", sorted(OUR_OPTIONS - {"-o"}))
def test_every_option_is_explained_by_hand_or_in_an_example(flag):
    helps = "\n".join(command.help for command in COMMANDS.values())
    assert re.search(rf"(?<![-\w]){flag}(?![-\w])", f"{TEXT}\n{helps}")


def test_every_option_that_is_named_is_there():
    named = set(re.findall(r"(?<![-\w])--[a-z][a-z-]*[a-z]", TEXT))
    assert named <= OUR_OPTIONS | {*OTHERS_OPTIONS.split()}


def test_what_is_not_run_says_why():
    reasons = {block.not_run for block in BLOCKS if block.not_run}
    assert len(reasons) > 3
    told = re.findall(r"^<!-- not run:", TEXT, re.MULTILINE)
    assert len(told) == sum(block.not_run is not None for block in BLOCKS)


def test_nothing_names_where_packages_come_from():
    names = r"pypi|pythonhosted|index-url|conda|/simple/"
    everything = TEXT + (ROOT / "mkdocs.yml").read_text() + (ROOT / "pyproject.toml").read_text()
    assert re.findall(names, everything) == []


README = PAGES["README.md"]


def test_the_readme_shows_no_command_twice():
    shown = re.findall(r"^    ((?:\S+ )*sudoku-pipeline.*?)(?: *#|$)", README, re.MULTILINE)
    assert len(shown) > 5
    assert sorted({*shown}) == sorted(shown)


PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def test_the_readme_is_short_and_begins_with_what_is_certified():
    assert len(README.split()) <= 700
    assert len(re.findall(r"!\[", README)) == 1
    beginning = " ".join(README.partition("\n## ")[0].split())
    assert "Nothing dropped is lost" in beginning
    assert "every answer is checked independently of the solver that found it" in beginning
    assert "they say `unverified`, and why" in beginning


def test_the_readme_sets_up_in_one_line_and_tests_in_another():
    first, second = re.findall(r"^    python3 -m venv .*", README, re.MULTILINE)
    parts = ("pip install '.[fast]'", "cp examples/* inbox/", " run ", " solve --board examples/")
    assert all(part in first for part in parts)
    assert all(part in second for part in ("pip install", "[test]", "pytest"))


def test_an_extra_is_installed_from_the_clone():
    named = re.findall(r"pip install (?:--\w+ )*'?([^\s'\[]*)\[(\w+)\]", "\n".join(PAGES.values()))
    extras = {extra for _, extra in named}
    assert {what for what, _ in named} == {"."}
    assert (
        {"cluster", "dev", "test"} <= extras <= PROJECT["project"]["optional-dependencies"].keys()
    )


def test_the_contracts_that_trust_names_are_kept():
    contracts = {each["name"] for each in PROJECT["tool"]["importlinter"]["contracts"]}
    page = PAGES["docs/explanation/trust.md"]
    part = page.partition("## What checker and solver share\n")[2].partition("\n## ")[0]
    named = {" ".join(name.split()) for name in re.findall(r"^- \*([^*]+)\*", part, re.MULTILINE)}
    assert len(named) == 5
    assert named <= contracts
