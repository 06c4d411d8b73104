"""The library: descriptors are checked, and every complaint says where it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from skeletons import CompileOptions, Library, Skeleton, SkeletonError
from skeletons.catalogue.read import BUILTIN
from skeletons.select.parameters import check_parameters, parameters_of

GOOD = """name: mine
target: cuda
summary: for a test
species: "* -> *"
priority: 99
templates:
  host: call.host.j2
"""


def write(folder: Path, text: str, name: str = "mine.yaml") -> Path:
    (folder / "cuda").mkdir(exist_ok=True)
    path = folder / "cuda" / name
    path.write_text(text)
    return path


@pytest.mark.parametrize("target", ["c", "openmp", "opencl", "cuda"])
def test_every_target_has_a_skeleton_that_takes_anything(target: str) -> None:
    found = Library.load().skeletons(target)
    default = next(skeleton for skeleton in found if skeleton.name == "default")
    assert (default.species, default.priority) == ("* -> *", 0)
    assert all(skeleton.requires for skeleton in found if skeleton.priority < 0)


@pytest.mark.parametrize("target", ["opencl", "cuda"])
def test_accelerators_have_the_same_skeletons(target: str) -> None:
    skeletons = Library.load().skeletons(target)
    names = {each.name for each in skeletons if "device" not in each.requires and not each.asked_for}
    assert ("team" in names) == (target == "cuda")
    assert names - {"team"} == {
        "default",
        "reduction",
        "neighbourhood-1d",
        "neighbourhood-2d",
        "neighbourhood-3d",
        "combine",
        "rows",
        "scan",
        "contraction",
        "contraction-narrow",
        "merged",
        "triangle",
    }


@pytest.mark.parametrize(
    "path", sorted(BUILTIN.glob("[!c]*/[!d]*.yaml")), ids=lambda p: f"{p.parent.name}-{p.stem}"
)
def test_built_in_descriptors_are_valid(path: Path) -> None:
    assert Library.check(path).summary


def test_user_folders_add_and_replace(tmp_path: Path) -> None:
    write(tmp_path, GOOD)
    write(tmp_path, GOOD.replace("mine", "default"), "other.yaml")
    skeletons = {s.name: s for s in Library.load([tmp_path]).skeletons("cuda")}
    assert skeletons["mine"].priority == skeletons["default"].priority == 99
    assert skeletons["default"].folder == tmp_path / "cuda"


@pytest.mark.parametrize(
    ("change", "place", "words"),
    [
        (("priority: 99", "priority: high"), "5:11", "'high' is not of type 'integer'"),
        (("summary: for a test", "sumary: for a test"), "3:1", "unknown entry 'sumary'"),
        (("summary: for a test\n", ""), "1:1", "'summary' is a required property"),
        (('"* -> *"', '"* -> elements"'), "4:10", "'elements' is no pattern"),
        (('"* -> *"', '"element"'), "4:10", "inputs -> outputs"),
        (("call.host.j2", "gone.j2"), "7:9", "no template 'gone.j2'"),
        (("name: mine", "name: [mine"), "2:7", "not valid YAML"),
        (
            ("templates:", "parameters: {w: {default: 9, range: [1, 4]}}\ntemplates:"),
            "6:27",
            "outside its range",
        ),
        (("priority: 99", "priority: 99\nrequires: {tiles: 2}"), "6:12", "unknown entry 'tiles'"),
    ],
)
def test_mistakes_are_reported_with_their_place(
    tmp_path: Path, change: tuple[str, str], place: str, words: str
) -> None:
    path = write(tmp_path, GOOD.replace(*change))
    with pytest.raises(SkeletonError) as error:
        Library.load([tmp_path])
    message = str(error.value)
    assert message.startswith(f"{path}:{place}: ") and words in message and "\n" not in message


def test_a_broken_template_is_reported_with_its_line(tmp_path: Path) -> None:
    path = write(tmp_path, GOOD.replace("call.host.j2", "own.j2"))
    path.with_name("own.j2").write_text("fine\n{% if %}\n")
    with pytest.raises(SkeletonError, match=r"own\.j2:2:1: not a valid template"):
        Library.check(path)


def test_missing_folders_and_unknown_targets_are_named(tmp_path: Path) -> None:
    with pytest.raises(SkeletonError, match="no such folder of skeletons"):
        Library.load([tmp_path / "none"])
    with pytest.raises(
        SkeletonError, match="unknown target 'fortran'; choose one of c, cuda, opencl, openmp"
    ):
        Library.load().skeletons("fortran")


def test_parameters_are_checked_against_their_range() -> None:
    skeleton = Library.check(BUILTIN / "cuda" / "default.yaml")
    assert isinstance(skeleton, Skeleton)
    assert parameters_of(skeleton, CompileOptions(parameters={"width": 64}))["width"] == 64
    with pytest.raises(SkeletonError, match="width=4096: skeleton default takes 1 to 1024"):
        parameters_of(skeleton, CompileOptions(parameters={"width": 4096}))


def test_unknown_parameters_are_refused() -> None:
    with pytest.raises(SkeletonError, match="unknown parameter 'depth'; target cuda has block_k, block_m, "):
        check_parameters("cuda", Library.load(), CompileOptions(parameters={"depth": 1}))
