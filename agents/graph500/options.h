/* The command line. */
#ifndef G500_OPTIONS_H
#define G500_OPTIONS_H
#include <stdint.h>
#include <stdio.h>

struct options {
    int scale, edge_factor;
    uint64_t seed;
    int roots, warm_up;
    int validate; /* how many of the first searches to validate; INT_MAX: all */
    const char *phases, *messages, *roots_out, *parents_out, *graph_cache;
    const char *orders;    /* a FIFO that tells when to measure (orders.h) */
    const char *edges_out; /* write the edge list there instead of searching */
    int corrupt;           /* fault to make (corrupt.h), 0 for none */
    int trace_turns;       /* of three searches the first leaves no trace, the second spans, the third messages too */
    int help;
};

/* False: `error` holds one sentence. */
int options_parse(struct options *o, int argc, char **argv, char error[256]);

void options_print_usage(FILE *file);

#endif
