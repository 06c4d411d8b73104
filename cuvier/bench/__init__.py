"""`cuvier bench`: is the generated program faster, on this machine, than what other compilers make?"""
