"""The flow of values through the code of a loop, in scalars and arrays: who reads an older value, who needs
the last one, and what an iteration has written before it reads it."""
