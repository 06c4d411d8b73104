"""How to get what is missing, as commands for this system."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path


def packages(*names: str) -> str:
    """How to install Debian's packages, or those that correspond to them elsewhere."""
    command = f"apt-get install {' '.join(names)}"
    if not shutil.which("apt-get"):
        return f"install it with your system's package manager (on Debian: {command})"
    return command if os.geteuid() == 0 else f"sudo {command}"


def pip(*requirements: str) -> str:
    """How to install Python packages where this Python finds them."""
    words = " ".join(f"'{each}'" for each in requirements)
    beside = shutil.which("pip")
    if beside and Path(beside).parent == Path(sys.executable).parent:
        return f"pip install {words}"
    return f"{sys.executable} -m pip install {words}"
