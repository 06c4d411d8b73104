"""Seals of what the cache keeps: only who has the user's key can have written it.

A cache may stand in a folder that others write to: in a repository, on a shared disk, in an archive that CI
unpacks.  What they put there is not taken.  The key is a file in the user's own cache folder, beside the
default cache, or `CUVIER_CACHE_KEY`, for machines that share results.
"""

from __future__ import annotations

import os
import secrets
from functools import cache
from hashlib import blake2b
from hmac import compare_digest
from pathlib import Path

VARIABLE = "CUVIER_CACHE_KEY"
_SIZE = 32  # bytes of a seal


def default_folder() -> Path:
    """`$XDG_CACHE_HOME/cuvier/batch`, or the same below ~/.cache."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base) / "cuvier" / "batch"


def sealed(name: str, data: bytes) -> bytes | None:
    """`data` with the seal for the entry `name`; None where there is no key, and none can be made."""
    key = _key()
    return _seal(key, name, data) + data if key else None


def unsealed(name: str, data: bytes) -> bytes | None:
    """What was sealed as the entry `name`; None: it was not, or by somebody else."""
    key, seal, rest = _key(), data[:_SIZE], data[_SIZE:]
    return rest if key and compare_digest(seal, _seal(key, name, rest)) else None


def _seal(key: bytes, name: str, data: bytes) -> bytes:
    state = blake2b(f"{name}\0".encode(), digest_size=_SIZE, key=key)
    state.update(data)
    return state.digest()


def _key() -> bytes | None:
    if given := os.environ.get(VARIABLE):
        return blake2b(given.encode("utf-8", "surrogateescape")).digest()
    return _of_file(default_folder().parent / "key")


@cache
def _of_file(path: Path) -> bytes | None:
    """The key in a file of the user's, which is made if need be: whoever is first makes it for all."""
    fresh = path.with_name(f"key.{secrets.token_hex(8)}")
    try:
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                _make(fresh, path)
            finally:
                fresh.unlink(missing_ok=True)
        found = path.read_bytes()
    except OSError:
        return None
    return blake2b(found).digest() if len(found) >= _SIZE else None


def _make(fresh: Path, path: Path) -> None:
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stream:
        stream.write(secrets.token_bytes(_SIZE))
    try:
        os.link(fresh, path)
    except FileExistsError:
        return
