"""Affine forms, conditions over them, and what follows from these: by elimination, numbers, integer sets."""
