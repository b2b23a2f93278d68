/* What the runs leave. Call all of these on all ranks. */
#ifndef GA_OUTPUTS_H
#define GA_OUTPUTS_H

#include "program.h"

/* Opens the files; below `folder` where one is given. False on every rank where one of them cannot be written. */
int outputs_open(struct program *p, const char *folder);

/* Writes and closes them. */
void outputs_write(struct program *p);

/* The report, on stdout. */
void outputs_print(struct program *p);

#endif
