#define _POSIX_C_SOURCE 200809L
#include "trace.h"

#include <inttypes.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "memory.h"

enum { TAG = 91, USUAL_SEARCH = 4 * 32 };

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

static void grow(struct trace *t)
{
    uint64_t room = t->room * 2 + 1024;
    t->records = take_more(t->records, t->count * sizeof *t->records, room * sizeof *t->records);
    memset(t->records + t->count, 0, (room - t->count) * sizeof *t->records);
    t->room = room;
}

void trace_make_room(struct trace *t)
{
    if (t->on && t->room - t->count < USUAL_SEARCH) grow(t);
}

struct mark trace_end(struct trace *t, const struct net *net, struct mark m, enum phase phase, int level)
{
    struct mark now = trace_begin(t, net);
    if (!t->on) return now;
    if (t->count == t->room) grow(t);
    t->records[t->count++] = (struct span_record){.start_ns = m.start_ns, .end_ns = now.start_ns,
                                                  .bytes_sent = now.bytes - m.bytes,
                                                  .root = t->root, .level = level, .phase = phase};
    return now;
}

static void write_rows(FILE *f, int rank, const struct span_record *r, uint64_t count)
{
    for (; count > 0; count--, r++)
        fprintf(f, "%d,%d,%d,%s,%" PRId64 ",%" PRId64 ",%" PRIu64 "\n", rank, r->root, r->level, names[r->phase],
                r->start_ns, r->end_ns, r->bytes_sent);
}

static void send_records(const struct trace *t)
{
    MPI_Send(&t->count, 1, MPI_UINT64_T, 0, TAG, MPI_COMM_WORLD);
    MPI_Send(t->records, (int)(t->count * sizeof *t->records), MPI_BYTE, 0, TAG, MPI_COMM_WORLD);
}

void trace_write(const struct trace *t, const struct net *net, FILE *file)
{
    if (net->rank != 0) {
        send_records(t);
        return;
    }
    fprintf(file, "rank,root,level,phase,start_ns,end_ns,bytes_sent\n");
    write_rows(file, 0, t->records, t->count);
    for (int rank = 1; rank < net->ranks; rank++) {
        uint64_t count;
        MPI_Recv(&count, 1, MPI_UINT64_T, rank, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        struct span_record *records = take(count * sizeof *records);
        MPI_Recv(records, (int)(count * sizeof *records), MPI_BYTE, rank, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        write_rows(file, rank, records, count);
        free(records);
    }
}
