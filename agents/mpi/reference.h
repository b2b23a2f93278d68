/* How fast the hosts compute just now: work that is the same each time. What differs in it from one order to another
   (orders.h) differs in what was measured too. Call both on all ranks. */
#ifndef PREDICT_MPI_REFERENCE_H
#define PREDICT_MPI_REFERENCE_H
#include "net.h"

/* How many steps take about 0.1 s on the average rank. */
uint64_t reference_steps(struct net *net);

/* Does so many; seconds, the mean of the ranks. */
double reference_work(uint64_t steps, struct net *net);

#endif
