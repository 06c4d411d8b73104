"""What programs would take on machines, before any code is generated."""
