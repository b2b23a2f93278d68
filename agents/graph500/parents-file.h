/* Results of searches as a file. */
#ifndef G500_PARENTS_FILE_H
#define G500_PARENTS_FILE_H
#include <stdio.h>

#include "sssp.h"

/* Adds the parents of the last search, one signed 64-bit number per label, little end first, -1 for what is not
   reached. Call on all ranks; only rank 0 has a file, and memory for the whole array. Bytes sent for it are not
   counted. */
void parents_file_add(FILE *f, const struct bfs *b);

/* The same of distances, in double precision, infinity for what is not reached. */
void distances_file_add(FILE *f, const struct sssp *s);

#endif
