/* Spans of time as fixed records of numbers, made by two readings of clocks each; names come in at the end.

   A mark reads CLOCK_REALTIME (what other hosts and the samples of the host share), the program's counter of bytes,
   and how long the thread was awake: CLOCK_THREAD_CPUTIME_ID plus its time in the run queue. A record is the
   difference of two marks; the end of one phase serves as the beginning of the next. Records lie in one array that
   doubles; the program asks for room before its own clock starts, and the room is touched at once.
   At the end each rank sends rank 0 its count and its array as they are: all hosts have the same byte order.

   Source: /proc/thread-self/schedstat, Linux Documentation/scheduler/sched-stats.rst (time running, time queued, in
   ns, and the number of timeslices). */
#define _POSIX_C_SOURCE 200809L
#include "trace.h"

#include <fcntl.h>
#include <inttypes.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "memory.h"

enum { TAG = 91, LEAST_ROOM = 1024 };

void trace_open(struct trace *t, int on, struct trace_words words, const uint64_t *bytes_sent)
{
    *t = (struct trace){.on = on,
                        .words = words,
                        .bytes_sent = bytes_sent,
                        .schedstat = on ? open("/proc/thread-self/schedstat", O_RDONLY) : -1};
    for (int k = 0; k < TRACE_KEYS; k++) trace_clear(t, k);
}

void trace_close(struct trace *t)
{
    if (t->schedstat >= 0) close(t->schedstat);
    free(t->records);
}

static int64_t clock_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Time on a processor by the thread's own clock, which schedstat (Documentation/scheduler/sched-stats)
   brings up to date only now and then; time in the queue, a used up quota included, from there. */
static int64_t awake_ns(const struct trace *t)
{
    char text[128];
    ssize_t length = t->schedstat < 0 ? 0 : pread(t->schedstat, text, sizeof text - 1, 0);
    if (length <= 0) return -1;
    text[length] = '\0';
    char *rest;
    strtoull(text, &rest, 10);
    return clock_ns(CLOCK_THREAD_CPUTIME_ID) + (int64_t)strtoull(rest, NULL, 10);
}

struct mark trace_begin(const struct trace *t)
{
    if (!t->on) return (struct mark){0};
    return (struct mark){clock_ns(CLOCK_REALTIME), *t->bytes_sent, awake_ns(t)};
}

static int64_t asleep_ns(struct mark from, struct mark to)
{
    if (from.awake_ns < 0 || to.awake_ns < 0) return -1;
    int64_t asleep = to.start_ns - from.start_ns - (to.awake_ns - from.awake_ns);
    return asleep > 0 ? asleep : 0;
}

static void grow(struct trace *t, uint64_t records)
{
    uint64_t room = t->room * 2 + records + LEAST_ROOM;
    t->records = take_more(t->records, t->count * sizeof *t->records, room * sizeof *t->records);
    memset(t->records + t->count, 0, (room - t->count) * sizeof *t->records);
    t->room = room;
}

void trace_make_room(struct trace *t, uint64_t records)
{
    if (t->on && t->room - t->count < records) grow(t, records);
}

struct mark trace_end(struct trace *t, struct mark m, int phase)
{
    struct mark now = trace_begin(t);
    if (!t->on) return now;
    trace_make_room(t, 1);
    struct span_record *r = &t->records[t->count++];
    *r = (struct span_record){.start_ns = m.start_ns,
                              .end_ns = now.start_ns,
                              .asleep_ns = asleep_ns(m, now),
                              .bytes_sent = now.bytes - m.bytes,
                              .phase = phase};
    memcpy(r->keys, t->keys, sizeof r->keys);
    return now;
}

static void write_head(FILE *f, const struct trace_words *words)
{
    fputs(TRACE_COLUMNS, f);
    for (int k = 0; k < words->key_count; k++) fprintf(f, ",%s", words->keys[k]);
    fputc('\n', f);
}

static void write_rows(FILE *f, const struct trace_words *words, int rank, const struct span_record *r, uint64_t count)
{
    for (; count > 0; count--, r++) {
        fprintf(f, "%d,%s,%" PRId64 ",%" PRId64 ",%" PRIu64 ",", rank, words->phases[r->phase], r->start_ns, r->end_ns,
                r->bytes_sent);
        if (r->asleep_ns >= 0) fprintf(f, "%" PRId64, r->asleep_ns);
        for (int k = 0; k < words->key_count; k++) {
            fputc(',', f);
            if (r->keys[k] != TRACE_NO_KEY) fprintf(f, "%" PRId32, r->keys[k]);
        }
        fputc('\n', f);
    }
}

static void send_records(const struct trace *t)
{
    MPI_Send(&t->count, 1, MPI_UINT64_T, 0, TAG, MPI_COMM_WORLD);
    MPI_Send(t->records, (int)(t->count * sizeof *t->records), MPI_BYTE, 0, TAG, MPI_COMM_WORLD);
}

static void write_received(const struct trace *t, FILE *file, int rank)
{
    uint64_t count;
    MPI_Recv(&count, 1, MPI_UINT64_T, rank, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    struct span_record *records = take(count * sizeof *records);
    MPI_Recv(records, (int)(count * sizeof *records), MPI_BYTE, rank, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    write_rows(file, &t->words, rank, records, count);
    free(records);
}

/* One rank after the other, so that rank 0 holds no more than one rank's records beside its own. */
void trace_write(const struct trace *t, FILE *file)
{
    int self, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &self);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (self != 0) {
        send_records(t);
        return;
    }
    write_head(file, &t->words);
    write_rows(file, &t->words, 0, t->records, t->count);
    for (int rank = 1; rank < ranks; rank++) write_received(t, file, rank);
}
