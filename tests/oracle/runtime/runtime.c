/* The run-time system of the oracle: watches every access of an instrumented program and compares what the
   loops do with what was claimed of them.

   All memory of the program (globals, buffers, the stack) lies in one section, so that a byte has a number.  Per byte
   it is known to which object it belongs and whether it holds a value; per byte and active loop, which iterations
   read and wrote it.  A call that does something undefined, or takes too long, is abandoned and says nothing.

   Output, one line each, parts separated by tabs:
     W loop call message     a claim that the call refutes
     S loop trips instances checked flags     what was seen of a loop
     U function call why     the call says nothing
     R calls undefined claims                                                                                    */
#include "state.c"
#include "memory.c"
#include "claims.c"
#include "reductions.c"
#include "loops.c"
#include "accesses.c"
#include "calls.c"
