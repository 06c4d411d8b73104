"""Programs timed side by side: what `benchmarks/kernels.py` is made of."""
