"""The flow of scalars through the code of a loop: who reads an older value, and who needs the last one."""
