/* When each phase of each level ran on this rank; kept in memory, written by rank 0 at the end. */
#ifndef G500_TRACE_H
#define G500_TRACE_H
#include <stdint.h>

#include "net.h"

enum phase { EXPAND, COMPUTE, FOLD, SYNCHRONISE, GENERATE, CONSTRUCT, BFS, VALIDATE };

struct span_record {
    int64_t start_ns, end_ns; /* CLOCK_REALTIME */
    uint64_t bytes_sent;
    int32_t root, level;
    int32_t phase, padding;
};

struct trace {
    int on, root;
    uint64_t count, room;
    struct span_record *records;
};

/* A phase in progress. */
struct mark {
    int64_t start_ns;
    uint64_t bytes;
};

struct mark trace_begin(const struct trace *t, const struct net *net);
void trace_end(struct trace *t, const struct net *net, struct mark m, enum phase phase, int level);

/* Gathers to rank 0, rank by rank, and writes the CSV; false with errno when the file cannot be written. */
int trace_write(const struct trace *t, const struct net *net, const char *path);

#endif
