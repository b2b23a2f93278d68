/* Files that a program writes: opened before the work begins, so that no run is lost for want of a place. */
#ifndef PREDICT_MPI_OUTPUT_FILE_H
#define PREDICT_MPI_OUTPUT_FILE_H
#include <stdio.h>

/* Below `folder` where one is given. NULL, and a sentence on stderr, where it cannot be written. */
FILE *output_open(const char *folder, const char *name);

/* A sentence on stderr, and false, where not all of it was written. NULL is no file. */
int output_close(FILE *f, const char *path);

#endif
