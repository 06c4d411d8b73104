"""Static control parts: nests whose control and subscripts are affine, as integer sets (isl)."""
