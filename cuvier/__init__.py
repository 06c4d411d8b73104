"""The tool: command line, reports, verification."""

from cuvier.base.version import __version__ as __version__
