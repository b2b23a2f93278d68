/* When each phase of each level ran on this rank; kept in memory, written by rank 0 at the end. */
#ifndef MPI_TRACE_H
#define MPI_TRACE_H
#include <stdint.h>
#include <stdio.h>

#include "net.h"

enum phase { EXPAND, COMPUTE, FOLD, SYNCHRONISE, GENERATE, CONSTRUCT, BFS, VALIDATE };

struct span_record {
    int64_t start_ns, end_ns; /* CLOCK_REALTIME */
    int64_t asleep_ns;        /* neither running nor waiting for a processor: for messages; -1 unknown */
    uint64_t bytes_sent;
    int32_t root, level;
    int32_t phase, padding;
};

struct trace {
    int on, root;
    int schedstat; /* /proc/thread-self/schedstat, or -1 */
    uint64_t count, room;
    struct span_record *records;
};

/* A phase in progress. */
struct mark {
    int64_t start_ns;
    uint64_t bytes;
    int64_t awake_ns; /* this thread's time on a processor and in the queue for one */
};

void trace_open(struct trace *t, int on);
void trace_close(struct trace *t);

struct mark trace_begin(const struct trace *t, const struct net *net);
/* Room for one search of usual depth, touched now, so that none is made while the clock runs. */
void trace_make_room(struct trace *t);

/* Ends a phase; the mark returned begins the next at the same instant, for one reading of the clock. */
struct mark trace_end(struct trace *t, const struct net *net, struct mark m, enum phase phase, int level);

/* Gathers to rank 0, rank by rank, which writes the CSV to `file` (ignored elsewhere). */
void trace_write(const struct trace *t, const struct net *net, FILE *file);

#endif
