"""Kernels: parallel nests with what code generation must know of their arrays, scalars and conditions."""
