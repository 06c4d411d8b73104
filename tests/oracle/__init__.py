"""An oracle that knows nothing of the analyser: it executes loop nests and watches what they touch.

`compiler` turns C into Python closures over a memory of cells; `parallel` executes the loops that were
called parallel in a random order, as threads would; `fuzz` compares that with the sequential run.
"""
