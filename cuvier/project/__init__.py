"""What a folder of C sources looks like, and the settings that fit it: `cuvier init`."""
