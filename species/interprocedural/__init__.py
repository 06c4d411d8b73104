"""Whole programs: what one file tells the others of its functions.

Three steps, as of a linker that optimises (ThinLTO; Johnson et al. 2017): each file is summarised by itself
(`summary`); the summaries are joined, which says whose functions a file may take in (`join`); and the file is
analysed again as if it had their definitions behind its own text (`link`).
"""
