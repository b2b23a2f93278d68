/* A run of the benchmark: what its parts share. */
#ifndef G500_RUN_H
#define G500_RUN_H
#include <stdio.h>

#include "bfs.h"
#include "net.h"
#include "options.h"
#include "output.h"
#include "trace.h"
#include "validate.h"

struct run {
    struct options options;
    struct net net;
    struct graph graph;
    struct trace trace;
    struct message_log messages;
    struct bfs bfs;
    struct validation validation;
    int searches;                                                  /* how many there are, */
    struct search *search;                                         /* and what came of each */
    FILE *roots_file, *phases_file, *messages_file, *parents_file; /* rank 0 only */
    double generation, construction;
    const char *cache;
    int validated, failed;
};

static inline int leader(const struct run *r) { return r->net.rank == 0; }

#endif
