"""The tool: command line, reports, verification."""

__version__ = "0.1.0"
