/* One start for many measurements: the graph is built and searches are validated once, then rank 0 follows orders that
   come through a FIFO, a line each, until it ends.
     search         times every search; its results, printed and in memory, take the place of earlier ones
     write FOLDER   writes the files of the last searches into the folder
     end            ends the run, as the end of the FIFO does
   What is done is told by a line on stdout and on stderr, behind all that was printed for it: `Ready.` once orders are
   read, then `Measured.` and `Written.` A failed validation and a file that cannot be written end the run. */
#ifndef G500_ORDERS_H
#define G500_ORDERS_H

#include "run.h"

/* Call on all ranks. */
void orders_follow(struct run *r);

#endif
