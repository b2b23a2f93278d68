/* One start for many measurements: a program prepares once, then rank 0 follows orders that come through a FIFO, a line
   each, until it ends.
     measure        times all runs; their results, printed and in memory, take the place of earlier ones
     write FOLDER   writes the files of the last runs into the folder
     end            ends the program, as the end of the FIFO does
   What is done is told by a line on stdout and on stderr, behind all that was printed for it: `Ready.` once orders are
   read, then `Measured.` and `Written.` The last line before `Measured.` is `reference_time:`, the seconds that
   a million steps of equal work take right before or after the runs, the lesser (reference.h): the same work in all
   starts. */
#ifndef PREDICT_MPI_ORDERS_H
#define PREDICT_MPI_ORDERS_H

#include "net.h"

/* What a program does when it is told to, on all ranks; both return 0, or the exit status that ends the program. */
struct follower {
    void *program; /* handed to both */
    int (*measure)(void *program);
    int (*write)(void *program, const char *folder); /* of rank 0; empty elsewhere */
};

/* Returns the exit status, the same on all ranks; call on all of them. */
int orders_follow(struct net *net, const char *fifo, const struct follower *follower);

#endif
