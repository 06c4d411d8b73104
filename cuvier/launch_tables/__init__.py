"""Tables of what launches of a program with versions take: measured, kept beside it, shown, used to predict.

Not here: the predictions themselves (`models.prediction`) and what decides when a program runs (`runtime/`).
"""
