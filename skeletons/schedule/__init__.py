"""Nests in another order: from static control parts to schedules, and back to C.

`core` has trees and their dependences, `transform` what may be done to them, `pipelines` in which order,
`emit` prints C.
"""
