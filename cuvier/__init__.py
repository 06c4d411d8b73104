"""The tool: command line, reports, verification."""

from cuvier.version import __version__ as __version__
