"""From preprocessed text to a syntax tree, with recovery: C17, GNU C, old-style functions."""
