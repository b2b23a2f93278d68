/* What an algorithm leaves: a sum to compare runs by, and the file of values. */
#ifndef GA_RESULTS_H
#define GA_RESULTS_H
#include <stdio.h>

#include "job.h"

/* Of vertices and their values, in whatever order; the same on all ranks. Call on all ranks. */
uint64_t results_digest(const struct job *j);

/* `id value` per line, ascending by id, LF. Rank 0 writes to `file` (ignored elsewhere), piece by piece. */
void results_write(const struct job *j, FILE *file);

#endif
