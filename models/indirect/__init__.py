"""What data and pointers choose: elements by subscripts from memory, functions by pointers."""
