/* A start of the program: what its parts share. */
#ifndef GA_PROGRAM_H
#define GA_PROGRAM_H
#include <stdio.h>

#include "load.h"
#include "options.h"
#include "report.h"
#include "degree-counts.h"

struct program {
    struct options options;
    struct files files;
    struct net net;
    struct graph graph;
    struct trace trace;
    struct message_log messages;
    struct job job;
    const struct algorithm *algorithm;
    struct degree_counts degrees;
    struct timed_run *runs; /* the last ones */
    uint64_t digest;        /* of all runs, once there was one (`has_run`) */
    int has_run;
    FILE *output, *runs_out, *phases, *message_file; /* rank 0 only */
    double begun, load, output_time;                 /* output_time -1: the output is not written yet */
    const char *cache;
};

static inline int leader(const struct program *p) { return p->net.rank == 0; }

#endif
