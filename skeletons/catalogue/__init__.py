"""Skeletons and targets as data: descriptors, templates, and the library of both."""
