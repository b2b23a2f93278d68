/* The searches of a run. Call all of these on all ranks. */
#ifndef G500_SEARCHES_H
#define G500_SEARCHES_H

#include "run.h"

/* Room for searches, on a graph that is there. */
void searches_open(struct run *r);
/* What follows is of this kernel. */
void searches_begin(struct run *r, enum kernel kernel);
void searches_close(struct run *r);

/* Times each search, and validates the first ones as asked; rows are written as soon as nothing is missing from them.
 */
void searches_run(struct run *r);

/* Validates the first searches as asked, without timing or tracing them; where none is, warms up as asked. */
void searches_check(struct run *r);

/* Times each search anew. What `searches_check` found holds for those that count as many edges; another count is a
   failed validation. Traces and messages of earlier searches are let go. */
void searches_repeat(struct run *r);

/* The rows of all searches; on rank 0. */
void searches_write(const struct run *r);

#endif
