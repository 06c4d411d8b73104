"""Transformations of static control parts: trees of loops, and what may be done to them."""
