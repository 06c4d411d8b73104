"""Random filters whose taps are constants, in the ways in which people write these."""
