"""Serial loops with a parallel part, in stages."""
