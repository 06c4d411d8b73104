"""Kernels that are sums of products: blocked, tiled, by teams of threads, or as calls of a library."""
