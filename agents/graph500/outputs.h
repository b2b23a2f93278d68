/* The files that a run leaves. Call all of these on all ranks. */
#ifndef G500_OUTPUTS_H
#define G500_OUTPUTS_H

#include "run.h"

/* Opens them, before the work begins, so that no run is lost for want of a place to put its results; below `folder`
   where one is given. False on every rank where one of them cannot be written. */
int outputs_open(struct run *r, const char *folder);

/* Writes what only the end of the searches tells into them, and closes them. */
void outputs_write(struct run *r);

/* The block of results, on stdout. */
void outputs_print(const struct run *r);

#endif
