"""What a kernel computes and moves, and how long a skeleton takes for it on a machine (roofline).

What a loop costs whatever its skeleton is in `models`.
"""
