"""The field test: Cuvier on C sources that nobody here wrote."""
