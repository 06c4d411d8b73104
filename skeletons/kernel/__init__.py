"""Kernels that are to be written: context, names, regions, and the plain values that templates see."""
