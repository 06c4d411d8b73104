"""What there is on a machine, what is missing, and the way out: the checks of `cuvier doctor`.

A check is a function from a `Site` to a `Finding`.  It changes nothing, and it runs only what the user
named or the PATH has: nothing that comes with a project (docs/security.md).
"""
