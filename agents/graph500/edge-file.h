/* The generated edge list as a file. */
#ifndef G500_EDGE_FILE_H
#define G500_EDGE_FILE_H

#include "options.h"

enum { EXIT_UNWRITTEN = 1 };

/* Writes to o->edges_out all edges in the order of their numbers, repeats and self-loops included: of each the two
   labels that the generator gives, as unsigned 64-bit numbers, little end first; nothing else, and no graph in memory.
   To o->weights_out, if it is given, the weight of each, in single precision.
   Returns the program's exit status, having said what went wrong. */
int edge_file_make(const struct options *o);

#endif
