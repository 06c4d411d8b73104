"""Options and work that several commands have in common.

Not here: the commands themselves, which are modules of `cuvier.commands` with a function `register`.
"""
