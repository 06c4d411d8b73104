"""Random programs for kernels, compared with what is made of them."""
