"""`cuvier skeletons`: what the library holds, and whether a user's folder is well-formed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cuvier.base.errors import UserError
from cuvier.base.exits import Exit, epilog
from cuvier.commands.common.options import SkeletonFolders

if TYPE_CHECKING:
    from skeletons import Library, Skeleton, Target

OneTarget = Annotated[
    str | None, typer.Option("--target", metavar="TARGET", help="Only the skeletons of this target.")
]


def register(app: typer.Typer) -> None:
    group = typer.Typer(rich_markup_mode=None, invoke_without_command=True)
    group.callback(epilog=epilog())(_default)
    group.command("list", epilog=epilog())(list_skeletons)
    group.command("show", epilog=epilog("cuvier skeletons show --target cuda default"))(show)
    group.command("check", epilog=epilog("cuvier skeletons check my-skeletons"))(check)
    app.add_typer(group, name="skeletons")


def _default(context: typer.Context) -> None:
    """List the skeletons, show one, or check a folder of your own."""
    if context.invoked_subcommand is None:
        list_skeletons()


def list_skeletons(target: OneTarget = None, skeletons: SkeletonFolders = None) -> None:
    """List the skeletons and the species that they take."""
    from cuvier.base.console import tell

    library = _library(skeletons)
    rows = [(s.target, s.name, s.species, s.summary) for s in _of_target(library, target)]
    rows += [
        row for each in library.all_targets if target in (None, each.name) for row in _of_nests(each, library)
    ]
    widths = [max(map(len, column)) for column in zip(*(row[:3] for row in rows), strict=True)]
    for row in sorted(rows, key=lambda row: row[0]):
        columns = zip(row[:3], widths, strict=True)
        tell("  ".join(text.ljust(width) for text, width in columns) + f"  {row[3]}\n")


def _of_nests(target: Target, library: Library) -> list[tuple[str, str, str, str]]:
    """The transformations of whole nests, for targets that take nests apart, and what can be switched on."""
    from skeletons.catalogue.passes import PROGRAM_PASSES
    from skeletons.schedule.pipelines.registry import passes_of

    made = passes_of(target, library.patterns(target.name))
    rows = [(target.name, each.name, "whole nests", each.summary) for each in made]
    features = (each for each in PROGRAM_PASSES if "features" in each.kinds and each.name in target.features)
    return rows + [(target.name, each.name, f"--with {each.name}", each.summary) for each in features]


def show(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A skeleton.")],
    target: OneTarget = None,
    skeletons: SkeletonFolders = None,
) -> None:
    """Print a skeleton: its descriptor and its templates."""
    from cuvier.base.console import tell

    library = _library(skeletons)
    found = [each for each in _of_target(library, target) if each.name == name]
    if not found:
        _check_no_transformation(library, name)
        known = ", ".join(sorted({each.name for each in _of_target(library, target)}))
        raise UserError(f"no skeleton '{name}'; there are {known}")
    for each in found:
        for file in _files(each):
            tell(f"# {file}\n{file.read_text(encoding='utf-8')}\n")


def _check_no_transformation(library: Library, name: str) -> None:
    """UserError for the name of a transformation or of a feature, which have no descriptors."""
    every = {row[1]: row[3] for each in library.all_targets for row in _of_nests(each, library)}
    if name in every:
        raise UserError(
            f"'{name}' is no skeleton, but what is done to whole nests or products ({every[name]});"
            " see docs/transformations.md, --with and --without"
        )


def check(folder: Annotated[Path, typer.Argument(metavar="DIR", help="Holds <target>/*.yaml.")]) -> None:
    """Check a folder of skeletons of your own."""
    from cuvier.base.console import say

    if not folder.is_dir():
        raise UserError(f"no such folder: '{folder}'; it should hold <target>/*.yaml")
    files = _descriptors(folder)
    if not files:
        inside = any(folder.glob("*.yaml"))
        parent = f"; did you mean its parent, '{folder.resolve().parent}'?" if inside else ""
        raise UserError(f"no descriptors (<target>/*.yaml) in '{folder}'{parent}")
    mistakes = [message for file in files if (message := _mistake(file))]
    for message in mistakes:
        say(message)
    if mistakes:
        raise typer.Exit(Exit.INPUT)
    library = _library([folder])
    unfit = [m for s in library.all_skeletons if s.path in files for m in _of_templates(library, s)]
    for message in dict.fromkeys(unfit):
        say(message)
    if unfit:
        raise typer.Exit(Exit.INPUT)
    typer.echo(f"{len(files)} descriptors are well-formed.")


def _descriptors(folder: Path) -> list[Path]:
    """Targets and skeletons; a target's dialect and what targets share describe neither."""
    from skeletons.catalogue.library import DIALECT_FILE

    found = sorted(folder.glob("*/*.yaml"))
    return [file for file in found if file.name != DIALECT_FILE and file.parent.name != "common"]


def _of_templates(library: Library, skeleton: Skeleton) -> list[str]:
    """What is wrong with the names in a skeleton's templates."""
    from skeletons.program.template_check import template_mistakes

    return [str(UserError.at_place(message)) for message in template_mistakes(skeleton, library)]


def _mistake(file: Path) -> str | None:
    from skeletons import Library, SkeletonError

    try:
        Library.check(file)
    except SkeletonError as error:
        return str(UserError.at_place(str(error)))
    return None


def _library(folders: list[Path] | None) -> Library:
    from skeletons import Library, SkeletonError

    try:
        return Library.load(folders or ())
    except SkeletonError as error:
        raise UserError.at_place(str(error)) from error


def _of_target(library: Library, target: str | None) -> list[Skeleton]:
    from skeletons import SkeletonError

    try:
        names = [library.target(target).name] if target else sorted(each.name for each in library.all_targets)
    except SkeletonError as error:
        raise UserError.at_place(str(error)) from error
    return [skeleton for name in names for skeleton in library.skeletons(name)]


def _files(skeleton: Skeleton) -> list[Path]:
    templates = [skeleton.folder / name for name in dict.fromkeys(skeleton.templates.values())]
    return [skeleton.path, *(file for file in templates if file.is_file())]
