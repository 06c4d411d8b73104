"""Running a preprocessor, and the map from its output back to the places in the files of the user."""
