"""Which transformations of nests are made for a target, and in which order."""
