"""`make check` runs the tests of what a change touches."""

from __future__ import annotations

from scripts.touched import ALWAYS, folders_of


def test_packages_have_tests_in_folders_of_the_same_name() -> None:
    assert folders_of(["species/sets/affine.py"]) == [ALWAYS, "tests/species/sets"]


def test_the_folder_above_stands_in() -> None:
    assert folders_of(["species/dependence/exact/quick.py"]) == [ALWAYS, "tests/species/dependence"]


def test_a_folder_includes_what_is_below_it() -> None:
    files = [
        "tests/species/sets/test_witness.py",
        "species/sets/affine.py",
        "tests/species/loops/test_views.py",
    ]
    assert folders_of(files) == [ALWAYS, "tests/species/loops/test_views.py", "tests/species/sets"]


def test_what_is_gone_or_no_code_has_none() -> None:
    assert folders_of(["README.md", "tests/species/sets/test_gone.py", "tests/support/places.py"]) == [ALWAYS]
