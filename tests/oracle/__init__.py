"""An oracle that knows nothing of the analyser: it executes loop nests and watches what they touch.

`generator` and `shapes` write functions; `instrument` and `expressions` rewrite them: every access calls the
run-time system in `runtime/`; `claims` adds what the analyser says of each loop; `calls` makes arguments;
`check` compiles, executes and reports; `fuzz` does so for many functions, and counts what was missed.
`annotations` runs the functions with their OpenMP pragmas, and without them (`builds`, `native/`).
"""
