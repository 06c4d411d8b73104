"""One module per command; each has `register(app)`, called by `cuvier.cli`."""
