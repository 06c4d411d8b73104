"""What the machine can do: read from the system, and measured by small C programs."""
