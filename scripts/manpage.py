"""The page of the manual, docs/cuvier.1, from the definitions of the command line.

python -m scripts.manpage            (prints it)
python -m scripts.manpage --write    (puts it there)

An option that many commands have is described once.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import yaml

from cuvier.base.exits import MEANINGS
from cuvier.base.version import __version__
from scripts import roff

HERE = Path(__file__).resolve().parent
PAGE, TABLES = HERE.parent / "docs" / "cuvier.1", HERE / "manpage.yaml"
NAME = "classify the loops of C programs, and compile them for parallel machines"
MANY = 3  # commands: an option that so many have is a common one


@dataclass(frozen=True)
class Option:
    """An option of a command: its names, what its value is called, and what it does."""

    names: tuple[str, ...]
    value: str
    text: str

    @property
    def term(self) -> str:
        """As roff."""
        names = ", ".join(map(roff.bold, self.names))
        return rf"{names} \fI{roff.escaped(self.value)}\fP" if self.value else names


@dataclass(frozen=True)
class Command:
    """A command of the application, with its options but for --help; those inside a group follow it."""

    name: str
    definition: Any

    @property
    def options(self) -> list[Option]:
        return [_option(each, self.definition) for each in _visible(self.definition, "option")]

    @property
    def synopsis(self) -> str:
        """As roff."""
        values = " ".join(roff.escaped(_argument(each)) for each in _visible(self.definition, "argument"))
        options = r" [\fIOPTIONS\fP]" if self.options else ""
        return f"{roff.bold(f'cuvier {self.name}')}{options}{f' {values}' if values else ''}"


def commands(application: Any, prefix: str = "") -> Iterator[Command]:
    """All commands, those of groups too, in the order of the help."""
    for name, definition in application.commands.items():
        yield Command(prefix + name, definition)
        if hasattr(definition, "commands"):
            yield from commands(definition, f"{prefix}{name} ")


def _visible(definition: Any, kind: str) -> list[Any]:
    return [
        each
        for each in definition.params
        if each.param_type_name == kind and not each.hidden and each.name != "help"
    ]


def _option(parameter: Any, definition: Any) -> Option:
    names = (*sorted(parameter.opts, key=len), *parameter.secondary_opts)
    value = "" if parameter.is_flag else parameter.metavar or _choices(parameter, definition)
    return Option(names, value, f"{parameter.help or ''}{_default(parameter)}")


def _choices(parameter: Any, definition: Any) -> str:
    """What --help shows where the value has no name."""
    shown, _ = parameter.get_help_record(definition.context_class(definition))
    return str(shown).rpartition(" ")[2].strip("<>[]")


def _default(parameter: Any) -> str:
    """What holds without the option, where its help does not say so already."""
    value = parameter.default.value if isinstance(parameter.default, Enum) else parameter.default
    if isinstance(value, bool) or not isinstance(value, str | int | float) or value == "":
        return ""
    return f" [default: {value if isinstance(value, str) else format(value, 'g')}]"


def _argument(parameter: Any) -> str:
    name = parameter.metavar or parameter.name.upper()
    name += "..." if parameter.nargs == -1 and "..." not in name else ""
    return name if parameter.required or name.startswith("[") else f"[{name}]"


def page(application: Any) -> str:
    """The page, for the application as Typer makes it."""
    found = list(commands(application))
    counts = Counter(option for command in found for option in command.options)
    common = [option for option, count in counts.items() if count >= MANY]
    parts = (
        *_beginning(application),
        roff.section("COMMANDS", *(_described(each, common) for each in found)),
        roff.section("COMMON OPTIONS", *(roff.entry(each.term, each.text) for each in common)),
        *_end(),
    )
    return "".join(parts)


def _beginning(application: Any) -> Iterator[str]:
    own = [_option(each, application) for each in _visible(application, "option")]
    yield roff.header("cuvier", 1, f"cuvier {__version__}", "User Commands")
    yield roff.section("NAME", f"cuvier \\- {NAME}\n")
    yield roff.section(
        "SYNOPSIS",
        roff.bold("cuvier") + " \\fICOMMAND\\fP [\\fIOPTIONS\\fP] [\\fIARGUMENTS\\fP]\n.br\n",
        roff.bold("cuvier") + " " + roff.bold("--version") + "\n",
    )
    yield roff.section("DESCRIPTION", *_texts(application.help))
    helps = Option(("-h", "--help"), "", "Show what a command does, with its options, and exit.")
    yield roff.section("OPTIONS", *(roff.entry(each.term, each.text) for each in (*own, helps)))


def _described(command: Command, common: list[Option]) -> str:
    """A command: how it is called, what it does, its own options, the common ones by name, examples."""
    own = [each for each in command.options if each not in common]
    shared = [each.names[0] for each in command.options if each in common]
    also = f"It also takes the common options {', '.join(f'`{name}`' for name in shared)}."
    return roff.subsection(
        f"cuvier {command.name}",
        f".PP\n{command.synopsis}\n",
        *_texts(_help(command)),
        *(roff.entry(each.term, each.text) for each in own),
        roff.paragraph(also) if shared else "",
        *_texts(_examples(command.definition.epilog or "")),
    )


def _help(command: Command) -> str:
    """`cuvier cc` has a text of its own, for its options are a compiler's."""
    if command.name != "cc":
        return command.definition.help or ""
    from cuvier.wrapper.main import HELP

    return "\n\n".join(f"\b\n{block}" for block in HELP.strip().split("\n\n")[1:])


def _examples(epilog: str) -> str:
    return "\n\n".join(block for block in epilog.split("\n\n") if block.startswith("\b"))


def _texts(text: str) -> Iterator[str]:
    """Paragraphs, and blocks that are to stay as they are."""
    for block in text.strip().split("\n\n"):
        yield roff.verbatim(block[2:].splitlines()) if block.startswith("\b\n") else roff.paragraph(block)


def _end() -> Iterator[str]:
    tables = yaml.safe_load(TABLES.read_text(encoding="utf-8"))
    statuses = (roff.entry(roff.bold(str(int(status))), f"{text}.") for status, text in MEANINGS.items())
    signal = roff.entry(r"\fB128\fP and more", "ended by a signal: 128 and its number.")
    yield roff.section("EXIT STATUS", *statuses, signal)
    for title in ("files", "environment"):
        entries = (roff.entry(roff.bold(name), text) for name, text in tables[title].items())
        yield roff.section(title.upper(), *entries)
    yield roff.section("SEE ALSO", *map(roff.paragraph, tables["see also"]))


def main(arguments: list[str]) -> None:
    import typer

    from cuvier.cli import build_app

    text = page(typer.main.get_command(build_app()))
    if arguments == ["--write"]:
        PAGE.write_text(text, encoding="utf-8")
    else:
        print(text, end="")


if __name__ == "__main__":
    main(sys.argv[1:])
