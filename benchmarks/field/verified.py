"""One program of somebody else's, verified for one target, and why it is not equal where it is not."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TARGETS: dict[str, tuple[str, ...]] = {
    "openmp": (),
    "opencl": (),
    "cuda": ("--device", "host-shim"),
}
_KERNEL = re.compile(r"^[^\S\n]*#\s*pragma\s+species\s+kernel\b", re.MULTILINE)
_SLACK = 240  # seconds to analyse, build and record, beside what both programs may run


@dataclass(frozen=True)
class ReadSpecies:
    """How many of the species that a program states were found right; what is said of the others."""

    stated: int
    right: int
    complaints: tuple[str, ...] = ()
    failure: str = ""  # why the file was not analysed at all


@dataclass(frozen=True)
class Verified:
    """`word` is "equal" or what came instead; `note` says why."""

    word: str
    note: str = ""
    seconds: float = 0.0


def read_species(program: Path, flags: tuple[str, ...] = ()) -> ReadSpecies:
    """What `cuvier report` makes of the species in a program."""
    text = program.read_text(encoding="utf-8", errors="replace")
    stated = len(_KERNEL.findall(re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)))
    try:
        done = _cuvier("report", "--format", "json", *flags, str(program), limit=_SLACK)
    except subprocess.TimeoutExpired:
        return ReadSpecies(stated, 0, failure=f"not analysed within {_SLACK} s")
    unit = json.loads(done.stdout)["units"][0] if done.stdout else None
    if unit is None or unit["status"] == "failed":
        return ReadSpecies(stated, 0, failure=_said(done.stderr, program))
    said = [d for d in unit["diagnostics"] if d["code"] == "CV005"]
    complaints = tuple(f"line {d['line']}: {_without_advice(d['message'])}" for d in said)
    return ReadSpecies(stated, stated - len(complaints), complaints)


def _without_advice(message: str) -> str:
    return message.removeprefix("hand-written species: ").split("; correct it", 1)[0]


def verify(program: Path, target: str, timeout: float, flags: tuple[str, ...] = ()) -> Verified:
    """`cuvier verify`; both programs may run for `timeout` seconds."""
    options = ("--target", target, *TARGETS[target], *flags, "--timeout", f"{timeout:g}")
    limit = 2 * timeout + _SLACK
    try:
        done = _cuvier("verify", str(program), *options, "--json", limit=limit)
    except subprocess.TimeoutExpired:
        return Verified("time", f"not done within {limit:g} s")
    if done.returncode in (0, 1):
        found = json.loads(done.stdout)
        causes = ", ".join(found.get("classes", ()))
        word = f"equal but for {causes}" if causes else "equal"
        return (
            Verified(word) if found["ok"] else _told_apart(program, timeout, flags, _first_difference(found))
        )
    return _told_apart(program, timeout, flags, _said(done.stderr, program), "not done")


def _first_difference(found: dict[str, Any]) -> str:
    wrong = [item for item in found["items"] if not item["ok"]]
    texts = [f"'{i['name']}' after {i['kernel']}: {i['differing']} of {i['elements']} differ" for i in wrong]
    return str((texts or list(found["findings"]) or [found["output"]["message"]])[0])


def _told_apart(
    program: Path, timeout: float, flags: tuple[str, ...], message: str, word: str = "DIFFERENT"
) -> Verified:
    """What a result comes from that is not "equal"."""
    undefined = _undefined(program, timeout, flags)
    if undefined:
        return Verified("undefined", f"{undefined}; {message}")
    return Verified("time" if "did not end" in message else word, message)


def _undefined(program: Path, timeout: float, flags: tuple[str, ...]) -> str:
    """What gcc's sanitizers find first when the original runs; empty: nothing."""
    found = _sanitized(program, timeout, flags, ())
    if found:
        return found
    found = _sanitized(program, timeout, flags, ("-ftrivial-auto-var-init=pattern",))
    return f"with a pattern in variables that were never written: {found}" if found else ""


def _sanitized(program: Path, timeout: float, flags: tuple[str, ...], more: tuple[str, ...]) -> str:
    with tempfile.TemporaryDirectory() as folder:
        binary = Path(folder) / "original"
        macros = [flag for flag in flags if flag.startswith("-D")]
        build = ["gcc", "-g", "-O1", "-w", "-fsanitize=address,undefined", *more, *macros, str(program)]
        if subprocess.run([*build, "-o", str(binary), "-lm"], capture_output=True, check=False).returncode:
            return ""
        environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}
        try:
            done = subprocess.run(
                [str(binary)], capture_output=True, timeout=timeout, check=False, env=environment, cwd=folder
            )
        except subprocess.TimeoutExpired:
            return ""
        errors = done.stderr.decode(errors="replace")
    found = re.search(r"runtime error: (.*)|ERROR: AddressSanitizer: (\S+)", errors)
    return re.sub(r" 0x[0-9a-f]+", "", found[1] or found[2]) if found else ""


def _cuvier(*words: str, limit: float) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "cuvier", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False)


def _said(text: str, program: Path) -> str:
    """The first error, without where the program lies and what could be done."""
    lines = [line for line in text.splitlines() if "error: " in line] or text.splitlines()
    said = lines[0].split("error: ", 1)[-1].split(";", 1)[0] if lines else "nothing was said"
    return said.replace(f"{program} ", "").rstrip(": ")
