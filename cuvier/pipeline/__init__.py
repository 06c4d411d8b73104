"""Stages before generation: nests written in other words where that lets a skeleton serve them."""
