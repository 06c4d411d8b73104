"""Loops, references and where they lie: the model that `species.loops.walk` makes from a syntax tree."""
