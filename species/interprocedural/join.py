"""Joining summaries: whose functions a file takes in.

A function can be taken in where the program has one definition of it, where every function that it may call
can be, too, and where all agree on its type.  All others stay unknown, as they are in a file by itself.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from species.interprocedural.summary import Exported, Summary, name_of
from species.symbols.effect_table import library


class Program:
    """The files with these summaries.

    Those in `ambiguous` are compiled in several ways: nobody knows which of their functions are linked.
    """

    def __init__(self, summaries: Sequence[Summary], ambiguous: frozenset[str] = frozenset()) -> None:
        self._summaries = summaries
        self._ambiguous = ambiguous = ambiguous | _of_one_name(summaries)
        self._types = {key: text for each in summaries for key, text in (each.types or {}).items()}
        unclear = {name for each in summaries for name in each.doubtful}
        unclear |= {name for each in summaries if each.file in ambiguous for name in each.defines}
        count = Counter(name for each in summaries for name in each.defines)
        self._unclear = unclear | {name for name, times in count.items() if times > 1}
        self._owner = {name: each.file for each in summaries for name in each.defines}
        self._unfit = {name: why for each in summaries for name, why in each.unfit.items()}
        self._known = self._listed(ambiguous)
        self._usable = self._closed(self._known)

    def imports(self) -> dict[str, str]:
        """For each file that gains by it, the functions it is to take in (`species.interprocedural.link`)."""
        texts = {each.file: self._text(self._for(each), self._replaced(each)) for each in self._summaries}
        return {file: text for file, text in texts.items() if text}

    def why_unknown(self, name: str) -> str:
        """Why other files know nothing of a function, for people; empty where no file defines it."""
        files = [each.file for each in self._summaries if name in each.defines]
        if not files:
            return ""
        if len(files) > 1:
            return f"{', '.join(files[:-1])} and {files[-1]} define it"
        return f"{files[0]} defines it, but {self._obstacle(name, files[0])}"

    def _obstacle(self, name: str, file: str) -> str:
        if file in self._ambiguous:
            return "that is compiled in several ways"
        if name in self._unfit:
            return self._unfit[name]
        if name in self._unclear:
            return "it may be replaced by another one"
        if name in self._usable:
            return "a name that it uses means something else here"
        if name not in self._known:
            return "that was not understood as a whole"
        return f"it calls {self._unknown_callee(self._known[name])}"

    def _unknown_callee(self, function: Exported) -> str:
        for name, type_ in function.calls.items():
            if name in self._usable and self._usable[name].type != type_:
                return f"'{name}' with another type"
        unknown = [n for n in (*function.calls, *function.library) if n not in self._usable]
        defined = [n for n in unknown if n in self._owner]
        found = (defined or unknown)[:1]
        return f"'{found[0]}', of which nothing is known" if found else "static functions that do"

    def _replaced(self, file: Summary) -> list[str]:
        """Functions that the file calls and seem to be a library's, but are the program's own."""
        return [n for n in file.calls if n in library() and self._owner.get(n, file.file) != file.file]

    def _listed(self, ambiguous: frozenset[str]) -> dict[str, Exported]:
        """All functions that are what their names mean, by these."""
        each = [f for s in self._summaries if s.file not in ambiguous for f in s.functions]
        count = Counter(f.name for f in each)
        return {f.name: f for f in each if count[f.name] == 1 and f.name not in self._unclear}

    def _closed(self, listed: dict[str, Exported]) -> dict[str, Exported]:
        """Without those that call others; what calls itself, by way of others or not, may stay."""
        usable = dict(listed)
        while lost := [name for name, each in usable.items() if not self._is_closed(each, usable)]:
            for name in lost:
                del usable[name]
        return usable

    def _is_closed(self, function: Exported, usable: Mapping[str, Exported]) -> bool:
        """Are all the functions that it calls among these, and those of libraries not the program's?"""
        if any(name in self._owner for name in function.library):
            return False
        return all(name in usable for name in function.inner) and all(
            name in usable and type_ is not None and usable[name].type == type_
            for name, type_ in function.calls.items()
        )

    def _for(self, file: Summary) -> list[Exported]:
        """The functions that the file calls and can take in, and those that they call."""
        open_ = [n for n, t in file.calls.items() if n in self._usable and self._usable[n].type == t]
        found: dict[str, Exported] = {}
        while open_:
            name = open_.pop()
            if name not in found and self._owner.get(name) != file.file:
                found[name] = self._usable[name]
                open_ += [*found[name].calls, *found[name].inner]
        return [found[name] for name in sorted(found)]

    def _text(self, listed: list[Exported], replaced: list[str]) -> str:
        """Empty where there is nothing to tell."""
        unknown = [name for name in replaced if not any(each.name == name for each in listed)]
        if not listed and not unknown:
            return ""
        keys = dict.fromkeys(key for each in listed for key in each.types)
        parts = {
            "functions": [
                {"name": f.name, "type": f.type, "inner": f.inner, "types": f.types, "body": f.body}
                for f in listed
            ],
            "types": {key: self._types[key] for key in keys},
            "unknown": unknown,
        }
        return json.dumps(parts, separators=(",", ":"))


def _of_one_name(summaries: Iterable[Summary]) -> set[str]:
    """Files that cannot be told apart in the names of what they do not share."""
    count = Counter(name_of(each.file) for each in summaries)
    return {each.file for each in summaries if count[name_of(each.file)] > 1}
