"""Exact counts of the points of integer sets: iterations that nests make, cells that they touch."""
