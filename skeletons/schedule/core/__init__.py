"""Schedules as trees, over static control parts with their dependences: the ground for transformations."""
