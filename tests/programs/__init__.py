"""Random whole programs: kernels, host code between them, functions; against what is made of them."""
