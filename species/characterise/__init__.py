"""The 5-tuples and 6-tuples of references, merged into patterns: the theory of algorithmic species."""
