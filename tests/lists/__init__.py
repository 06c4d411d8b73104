"""Loops along lists, with the nodes in tables."""
