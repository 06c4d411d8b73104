"""The language server: what loops are, in an editor."""
