"""CUDA programs for one GPU, made into programs for several: what is read of them, the access models of their
kernels, and how they are rewritten.  The kernels of C programs are made in `skeletons`, and shared there.

After Matz, Doerfert and Froening (seed 002): the components M1 to M7 and M11.
"""
