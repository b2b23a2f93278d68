/* How many vertices have how many neighbours, whatever the direction; with weights, that edges lead to: from these the
   models know what kernels send on any number of ranks, before any run there. */
#ifndef GA_DEGREE_COUNTS_H
#define GA_DEGREE_COUNTS_H
#include <stdio.h>

#include "graph.h"

/* Each number below EXACT has a bin; of those above, OCTAVE bins share an octave. */
enum { EXACT = 32, OCTAVE = 8, BINS = EXACT + OCTAVE * 28 };

struct degree_counts {
    uint64_t vertices[BINS], neighbours[BINS];
};

/* Call on all ranks, on the graph as it was loaded. */
void degree_counts_of(const struct graph *g, struct degree_counts *d);

/* `1:1200 2:640 35.25:17`: the mean number of neighbours of a bin, and its vertices. */
void degree_counts_print(const struct degree_counts *d, FILE *file);

#endif
