#define _POSIX_C_SOURCE 200809L
#include "trace.h"

#include <inttypes.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "memory.h"

enum { TAG = 91 };

static const char *const names[] = {"expand",   "compute",   "fold", "synchronise",
                                    "generate", "construct", "bfs",  "validate"};

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

struct mark trace_begin(const struct trace *t, const struct net *net)
{
    return (struct mark){t->on ? now_ns() : 0, net->bytes_sent};
}

void trace_end(struct trace *t, const struct net *net, struct mark m, enum phase phase, int level)
{
    if (!t->on) return;
    if (t->count == t->room) {
        uint64_t room = t->room * 2 + 1024;
        t->records = take_more(t->records, t->count * sizeof *t->records, room * sizeof *t->records);
        t->room = room;
    }
    t->records[t->count++] = (struct span_record){.start_ns = m.start_ns, .end_ns = now_ns(),
                                                  .bytes_sent = net->bytes_sent - m.bytes,
                                                  .root = t->root, .level = level, .phase = phase};
}

static void write_rows(FILE *f, int rank, const struct span_record *r, uint64_t count)
{
    for (; count > 0; count--, r++)
        fprintf(f, "%d,%d,%d,%s,%" PRId64 ",%" PRId64 ",%" PRIu64 "\n", rank, r->root, r->level, names[r->phase],
                r->start_ns, r->end_ns, r->bytes_sent);
}

static void write_all(FILE *f, const struct trace *t, const struct net *net)
{
    if (f) fprintf(f, "rank,root,level,phase,start_ns,end_ns,bytes_sent\n");
    if (f) write_rows(f, 0, t->records, t->count);
    for (int rank = 1; rank < net->ranks; rank++) {
        uint64_t count;
        MPI_Recv(&count, 1, MPI_UINT64_T, rank, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        struct span_record *records = take(count * sizeof *records);
        MPI_Recv(records, (int)(count * sizeof *records), MPI_BYTE, rank, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (f) write_rows(f, rank, records, count);
        free(records);
    }
}

int trace_write(const struct trace *t, const struct net *net, const char *path)
{
    if (net->rank != 0) {
        MPI_Send(&t->count, 1, MPI_UINT64_T, 0, TAG, MPI_COMM_WORLD);
        MPI_Send(t->records, (int)(t->count * sizeof *t->records), MPI_BYTE, 0, TAG, MPI_COMM_WORLD);
        return 1;
    }
    FILE *f = fopen(path, "w");
    write_all(f, t, net);
    return f && !ferror(f) & !fclose(f);
}
