"""Programs: kernels are instantiated, host code calls them, and all files are written."""
