/* The command line. */
#ifndef GA_OPTIONS_H
#define GA_OPTIONS_H
#include <stdint.h>
#include <stdio.h>

#include "job.h"

#define NO_SOURCE UINT64_MAX

struct options {
    int algorithm; /* place in `algorithms`, -1 none */
    const char *vertices, *edges;
    int directed; /* -1 not said */
    int weighted;
    uint64_t source;                                  /* NO_SOURCE: none */
    int iterations, repetitions, warm_up, time_limit; /* 0: none */
    int threads;
    double damping;
    const char *output, *runs_out, *phases, *messages, *graph_cache;
    const char *orders; /* a FIFO that tells when to measure (orders.h) */
    int help;
};

extern const struct algorithm *const algorithms[];

/* False: `error` holds one sentence. */
int options_parse(struct options *o, int argc, char **argv, char error[256]);

void options_print_usage(FILE *file);

#endif
