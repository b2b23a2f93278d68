/* The command line. */
#ifndef G500_OPTIONS_H
#define G500_OPTIONS_H
#include <stdint.h>
#include <stdio.h>

struct options {
    int scale, edge_factor;
    int kernel;   /* 0 BFS, 1 SSSP, 2 both */
    double delta; /* width of a bucket, 0 to choose it */
    uint64_t seed;
    int roots, warm_up;
    int validate; /* how many of the first searches to validate; INT_MAX: all */
    int strict;   /* by the specification's rules, or not at all */
    const char *phases, *messages, *roots_out, *parents_out, *distances_out, *graph_cache;
    const char *orders;      /* a FIFO that tells when to measure (orders.h) */
    const char *edges_out;   /* write the edge list there instead of searching, */
    const char *weights_out; /* and the weights there */
    int corrupt;             /* fault to make (corrupt.h), 0 for none */
    int trace_turns;         /* of three searches the first leaves no trace, the second spans, the third messages too */
    int help;
};

/* False: `error` holds one sentence. */
int options_parse(struct options *o, int argc, char **argv, char error[256]);

/* The kernels that are asked for, a set of enum kernel (graph.h). */
static inline int options_kernels(const struct options *o) { return o->kernel + 1; }

void options_print_usage(FILE *file);

#endif
