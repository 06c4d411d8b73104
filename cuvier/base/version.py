"""The version of the tool; pyproject.toml has it, too."""

__version__ = "0.1.0"
