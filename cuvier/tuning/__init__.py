"""Searching the parameters of skeletons by measurement, and keeping what was found."""
