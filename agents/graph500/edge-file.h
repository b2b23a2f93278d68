/* The generated edge list as a file. */
#ifndef G500_EDGE_FILE_H
#define G500_EDGE_FILE_H
#include <stdint.h>
#include <stdio.h>

/* All edges in the order of their numbers, repeats and self-loops included: of each the two labels that the generator
   gives, as unsigned 64-bit numbers, little end first; nothing else. False: errno tells what the file refused. */
int edge_file_write(FILE *f, int scale, uint64_t edges, uint64_t seed);

#endif
