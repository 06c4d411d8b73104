"""`cuvier cc`: a C compiler that has loops run on threads where that pays, and else is the compiler itself.

Each command is first given to the compiler as it is.  Only then may an object file be replaced by one of the
same source in which loops are shared: whatever goes wrong, the compiler's own result is there.
"""
