/* Spans of time as fixed records of numbers, made by two readings of a clock each; names come in at the end.

   A mark reads CLOCK_REALTIME (what other hosts and the samples of the host share), the program's counter of bytes,
   and what the thread did as far as it was read (thread-times.h). A record is the difference of two marks; the end of
   one phase serves as the beginning of the next. Records lie in one array that doubles; the program asks for room
   before its own clock starts, and the room is touched at once. */
#define _POSIX_C_SOURCE 200809L
#include "trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "gather.h"
#include "memory.h"

enum { LEAST_ROOM = 1024 };

void trace_open(struct trace *t, int on, struct trace_words words, const uint64_t *bytes_sent)
{
    *t = (struct trace){.on = on, .words = words, .bytes_sent = bytes_sent, .times.schedstat = -1};
    if (on) thread_times_open(&t->times);
    for (int k = 0; k < TRACE_KEYS; k++) trace_clear(t, k);
}

void trace_close(struct trace *t)
{
    thread_times_close(&t->times);
    free(t->records);
}

struct mark trace_begin(struct trace *t)
{
    if (!t->on) return (struct mark){0};
    struct mark m = {.start_ns = clock_ns(CLOCK_REALTIME), .bytes = *t->bytes_sent};
    thread_times_read(&t->times, m.start_ns);
    m.times = t->times;
    return m;
}

static int64_t between(int64_t number, int64_t most) { return number < 0 ? 0 : number < most ? number : most; }

/* How a phase's time divides: what the thread did from one reading of it to another, as far as it fits in the phase. */
static void divide(struct span_record *r, struct mark from, struct mark to)
{
    r->asleep_ns = r->queued_ns = -1;
    const struct thread_times *a = &from.times, *b = &to.times;
    if (a->queued_ns < 0 || b->queued_ns < 0) return;
    int64_t all = to.start_ns - from.start_ns;
    r->queued_ns = between(b->queued_ns - a->queued_ns, all);
    r->asleep_ns = between(b->read_ns - a->read_ns - (b->awake_ns - a->awake_ns), all - r->queued_ns);
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
                              .bytes_sent = now.bytes - m.bytes,
                              .phase = phase};
    divide(r, m, now);
    memcpy(r->keys, t->keys, sizeof r->keys);
    return now;
}

static void write_head(FILE *f, const struct trace_words *words)
{
    fputs(TRACE_COLUMNS, f);
    for (int k = 0; k < words->key_count; k++) fprintf(f, ",%s", words->keys[k]);
    fputc('\n', f);
}

static void write_number(FILE *f, int64_t number, int known)
{
    fputc(',', f);
    if (known) fprintf(f, "%" PRId64, number);
}

struct table {
    FILE *file;
    const struct trace_words *words;
};

static void write_rows(void *table, int rank, const void *records, uint64_t count)
{
    const struct table *to = table;
    const struct span_record *r = records;
    for (; count > 0; count--, r++) {
        fprintf(to->file, "%d,%s,%" PRId64 ",%" PRId64 ",%" PRIu64, rank, to->words->phases[r->phase], r->start_ns,
                r->end_ns, r->bytes_sent);
        write_number(to->file, r->asleep_ns, r->asleep_ns >= 0);
        write_number(to->file, r->queued_ns, r->queued_ns >= 0);
        for (int k = 0; k < to->words->key_count; k++) write_number(to->file, r->keys[k], r->keys[k] != TRACE_NO_KEY);
        fputc('\n', to->file);
    }
}

void trace_write(const struct trace *t, FILE *file)
{
    struct table table = {file, &t->words};
    if (file) write_head(file, &t->words);
    gather(t->records, t->count, sizeof *t->records, write_rows, &table);
}
