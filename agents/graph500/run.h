/* A run of the benchmark: what its parts share. */
#ifndef G500_RUN_H
#define G500_RUN_H
#include <stdio.h>

#include "net.h"
#include "options.h"
#include "output.h"
#include "sssp.h"
#include "trace.h"
#include "validate.h"

struct run {
    struct options options;
    struct net net;
    struct graph graph;
    struct trace trace;
    struct message_log messages;
    struct bfs bfs;
    struct sssp sssp; /* where kernel 3 is asked for; its trees are in bfs */
    struct validation validation;
    int searches;           /* how many there are of each kernel */
    struct results results; /* of the kernel that runs, or ran last, */
    struct results earlier; /* and where both are asked for, of kernel 2 before */
    FILE *roots_file, *phases_file, *messages_file, *parents_file, *distances_file; /* rank 0 only */
    double generation, construction;
    const char *cache;
    int failed;
};

static inline int leader(const struct run *r) { return r->net.rank == 0; }

#endif
