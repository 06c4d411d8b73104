"""Random nests for the transformations: programs whose results must not change."""
