"""Does a generated program build?  It is given to the compilers that are there before anybody sees it."""
