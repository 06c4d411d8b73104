"""The report of a file as a value, and as JSON: what caches keep and all formats are made from.

Formats for people are in `cuvier.report`.
"""
