"""CUDA programs for one GPU, made into programs for several: what is read of them, the access models of their
kernels, and how they are rewritten.  Kernels in C are made in `skeletons.program`, others are not read here.

After Matz, Doerfert and Froening (seed 002): the components M1 to M7 and M11.
"""
