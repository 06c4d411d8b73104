"""What does it cost?  Work, machines, and whether a loop is worth threads or a launch."""
