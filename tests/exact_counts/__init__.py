"""Exact counts of integer points: random domains, counted symbolically and one by one."""
