"""Which iterations of a loop depend on each other, and the verdict that follows from it.

`exact` decides about a pair of references, `flow` about scalars, `certainty` what is proved.
"""
