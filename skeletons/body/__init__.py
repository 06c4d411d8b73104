"""Transformations of the body of a kernel: scalar replacement, coarsening, tiles, scans, reductions.

Transformations of whole nests are in `skeletons.schedule`; blocked products in `skeletons.sums`.
"""
