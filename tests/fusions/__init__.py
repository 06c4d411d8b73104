"""Random neighbouring loops, made one and run."""
