"""Generated programs and the templates that they are made of (docs/security.md)."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from models.errors import SkeletonError
from skeletons.catalogue.file_names import checked_source, make_word
from skeletons.catalogue.library import Library
from skeletons.catalogue.rendering import environment_of, render
from skeletons.program.write import write_program
from skeletons.select.api import Program
from tests.support.hostile_repository import LOOP, Repository, made
from tests.support.places import ROOT

MAIN = LOOP + "int main(void) { f(); return a[3] != 3; }\n"


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return made(tmp_path)


@pytest.mark.parametrize(
    "name",
    [
        "$(shell touch ran).c",
        "`touch ran`.c",
        "a;touch ran;.c",
        "a$$(touch ran).c",
        "a\ntouch ran.c",
        "a b.c",
        "-o.c",
        "@x.c",
        "a:b.c",
        "a=b.c",
        "a%.c",
        "a#.c",
        "a'b.c",
        'a"b.c',
        "a\\b.c",
        "app.$(touch ran)",
        ".c",
        ".PHONY.c",
        "*.c",
        "~x.c",
    ],
)
def test_names_of_files_that_make_would_run(name: str) -> None:
    with pytest.raises(SkeletonError, match="cannot stand in a Makefile; rename it"):
        checked_source(Path(name))


@pytest.mark.parametrize("command", [("compile", "-o", "out"), ("verify",)])
def test_no_program_is_made_of_such_a_file(repository: Repository, command: tuple[str, ...]) -> None:
    repository.write("$(shell touch ran).c", MAIN)
    done = repository.cuvier(*command, "$(shell touch ran).c", "--target", "c")
    assert done.returncode == 2 and "cannot stand in a Makefile; rename it" in done.stderr
    assert sorted(os.listdir(repository.root)) == ["$(shell touch ran).c", ".git", "app.c"]


@pytest.mark.parametrize("name", ["app.c", "My-app_2.v1.c", "größe.c", "c++.c"])
def test_usual_names_of_files(name: str) -> None:
    assert checked_source(Path("folder", name)) == Path("folder", name)


HOSTILE_WORDS = [
    "$(shell touch ran)",
    "$$(touch ran)",
    "`touch ran`",
    "';touch ran;'",
    "a\\#b",
    "a#b",
    "a\\\\#b;touch ran",
    "#;touch ran",
    "${HOME}",
    "a b",
    '"',
    "\\",
    "~",
    "*",
    "a!b",
]


@pytest.mark.parametrize("word", HOSTILE_WORDS)
def test_flags_in_makefiles_are_words(tmp_path: Path, word: str) -> None:
    (tmp_path / "Makefile").write_text(f"FLAGS = {make_word(word)}\nall:\n\t@printf '[%s]' $(FLAGS)\n")
    done = subprocess.run(["make", "-s"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == f"[{word}]"
    assert [each.name for each in tmp_path.iterdir()] == ["Makefile"]


@pytest.mark.parametrize("word", ["a\nb", "a\r", "\0", "a\x1bb", "a\tb"])
def test_flags_that_no_makefile_can_hold(word: str) -> None:
    with pytest.raises(SkeletonError, match="cannot stand in a Makefile"):
        make_word(word)


def test_flags_of_the_command_line(repository: Repository) -> None:
    repository.write("app.c", MAIN)
    word = "A='$(shell touch ran)';`touch ran`;$$(touch ran)#"
    flags = [f"-D{word}", f"-I{word}", "-iquote", word, "-isystem", word]
    assert repository.cuvier("compile", *flags, "app.c", "--target", "c", "-o", "out").returncode == 0
    subprocess.run(["make", "-s", "-C", "out"], cwd=repository.root, capture_output=True, check=False)
    assert not list(repository.root.rglob("ran"))


def test_a_folder_that_make_would_run(repository: Repository) -> None:
    repository.write("$(shell touch ran)'x/app.c", MAIN)
    done = repository.cuvier("compile", "$(shell touch ran)'x/app.c", "--target", "c", "-o", "out")
    assert done.returncode == 0, done.stderr
    subprocess.run(["make", "-s", "-C", "out"], cwd=repository.root, check=True)
    assert not list(repository.root.rglob("ran"))


@dataclass
class Seen:
    """What a template is given."""

    path: Path
    open: Any = open
    parts: list[int] = field(default_factory=lambda: [1])

    def write(self) -> str:
        self.path.write_text("x")
        return "written"


ESCAPES = [
    "{{ seen.path.write_text('x') }}",
    "{{ seen.path.read_text() }}",
    "{{ seen.write() }}",
    "{{ seen.open('ran', 'w') }}",
    "{{ seen.__class__.__mro__ }}",
    "{{ ''.__class__.__base__.__subclasses__() }}",
    "{{ refuse.__globals__ }}",
    "{{ seen.write.__func__.__globals__ }}",
    "{{ '{0.__class__}'.format(seen) }}",
    "{{ self._TemplateReference__context }}",
    "{{ cycler.__init__.__globals__.os.system('touch ran') }}",
    "{% set seen.path = 1 %}",
    "{% for x in range(10 ** 9) %}{% endfor %}",
    "{% include '../secret' %}",
    "{% include '/secret' %}",
    "{% include 'link.j2' %}",
    "{{ seen | attr('write') }}{{ (seen | attr('write'))() }}",
    "{{ [seen] | map(attribute='path') | map('attr', 'parent') | first }}{{ x.y }}",
]


@pytest.mark.parametrize("text", ESCAPES)
def test_templates_only_make_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    folder = tmp_path / "skeletons" / "c"
    folder.mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "skeletons" / "secret").write_text("secret")
    (folder / "link.j2").symlink_to(tmp_path / "secret")
    (folder / "evil.j2").write_text(text)
    with pytest.raises(SkeletonError):
        print(render("evil.j2", folder, "c", seen=Seen(tmp_path / "ran")))
    assert not (tmp_path / "ran").exists()


def test_all_templates_are_rendered_in_the_sandbox() -> None:
    from jinja2.sandbox import SandboxedEnvironment

    assert isinstance(environment_of(Path(), "c"), SandboxedEnvironment)
    root = ROOT
    sources = [p for name in ("cuvier", "skeletons", "transfers") for p in (root / name).rglob("*.py")]
    making = [p.name for p in sources if " Environment(" in p.read_text() and "jinja2" in p.read_text()]
    assert making == ["page.py"]  # whose template is ours


@pytest.mark.parametrize("name", ["../out.c", "/tmp/out.c", "x/../../out.c", "a\\nb.c", ""])
def test_targets_write_below_their_folder(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "x.j2").write_text("")
    descriptor = folder / "target.yaml"
    descriptor.write_text(
        f'name: mine\nsummary: x\naccelerator: false\ndimensions: 0\nfiles:\n  "{name}": x.j2\n'
    )
    with pytest.raises(SkeletonError, match=r"target\.yaml:\d+"):
        Library.check(descriptor)


def test_yaml_makes_no_objects(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    descriptor = folder / "evil.yaml"
    descriptor.write_text(f"name: !!python/object/apply:os.system ['touch {tmp_path}/ran']\n")
    with pytest.raises(SkeletonError):
        Library.check(descriptor)
    (tmp_path / "effects.yaml").write_text(descriptor.read_text())
    (tmp_path / "app.c").write_text(LOOP)
    repository = Repository(tmp_path)
    done = repository.cuvier("report", "--effects", "effects.yaml", "app.c")
    assert done.returncode == 2 and not (tmp_path / "ran").exists()


def test_no_pickles_and_no_unsafe_yaml() -> None:
    """What is unpickled comes from our own children, through a pipe."""
    root = ROOT
    for name in ("cuvier", "skeletons", "transfers", "species"):
        for path in (root / name).rglob("*.py"):
            text = path.read_text()
            assert not any(
                word in text for word in ("import pickle", "import shelve", "import marshal", "shell=True")
            )
            assert "os.system(" not in text and "yaml.unsafe" not in text and "yaml.full" not in text
            assert "yaml.load(" not in text or "Loader=_QUICK" in text


def test_a_program_is_not_written_through_links(repository: Repository) -> None:
    repository.write("app.c", MAIN)
    outside = repository.root.parent / "outside"
    outside.write_text("precious")
    (repository.root / "out").mkdir()
    for name in ("app.c", "Makefile"):
        (repository.root / "out" / name).symlink_to(outside)
    repository.cuvier("compile", "app.c", "--target", "c", "-o", "out")
    assert outside.read_text() == "precious"
    (repository.root / "out" / "sub").symlink_to(repository.root.parent)
    with pytest.raises(SkeletonError, match="a link leads out of the folder"):
        write_program(Program({"sub/x": "x"}, ()), repository.root / "out")
    assert sorted(os.listdir(repository.root.parent)) == ["outside", "repository"]
