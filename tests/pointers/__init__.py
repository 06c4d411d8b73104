"""Random programs that push pointers around, executed with every access watched, against points-to analysis.

`generator` writes them; `check` runs them, and compares the objects that were touched with those that the
analysis keeps apart; `fuzz` does so for many.  `watched.h` is the run-time system.
"""
