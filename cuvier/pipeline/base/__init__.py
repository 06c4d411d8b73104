"""What the passes over a file have in common: files in other words, proposals that are taken back, headers.

Not here: the passes, and the pipeline that runs them.
"""
