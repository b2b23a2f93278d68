/* When each phase of a program ran on each of its ranks, and what was sent in it: for any C program of ours under MPI.

   The program declares the names of its phases, and of up to TRACE_KEYS integer keys that tell one time of a phase
   from another (of a search: which root, which level). Keys are set and cleared as it goes; a record takes those that
   are set when its phase ends. Phases may lie within others. A record is 56 bytes in a growing array, and holds
   numbers only; rank 0 gathers them at the end and writes one line each: TRACE_COLUMNS, then the program's keys.
     worker      rank in MPI_COMM_WORLD
     *_ns        CLOCK_REALTIME of the rank's host
     bytes_sent  how far the program's own counter of payload for other ranks went up
     asleep_ns   of the time between, what the rank neither ran nor lacked a processor, so waited for messages;
                 empty where the kernel does not tell
     queued_ns   of the time between, what the rank could have run but lacked a processor: others had it, or a quota was
                 used up, the kernel's or that of agents/idle; empty where the kernel does not tell.
                 Both are read 500 us apart at least: those of shorter phases are in a later one
     keys        empty where one does not apply */
#ifndef PREDICT_MPI_TRACE_H
#define PREDICT_MPI_TRACE_H
#include <stdint.h>
#include <stdio.h>

#include "thread-times.h"

#define TRACE_COLUMNS "worker,phase,start_ns,end_ns,bytes_sent,asleep_ns,queued_ns"

enum { TRACE_KEYS = 3, TRACE_NO_KEY = INT32_MIN };

/* What a program calls its phases and keys, each by its number: tables that live as long as the trace. */
struct trace_words {
    const char *const *phases, *const *keys;
    int key_count;
};

struct span_record {
    int64_t start_ns, end_ns;
    int64_t asleep_ns, queued_ns; /* -1 unknown */
    uint64_t bytes_sent;
    int32_t phase;
    int32_t keys[TRACE_KEYS]; /* TRACE_NO_KEY where one does not apply */
};

struct trace {
    int on;
    struct trace_words words;
    const uint64_t *bytes_sent; /* the program's counter */
    int32_t keys[TRACE_KEYS];   /* of the records to come */
    struct thread_times times;
    uint64_t count, room;
    struct span_record *records;
};

/* A phase in progress. */
struct mark {
    int64_t start_ns;
    uint64_t bytes;
    struct thread_times times; /* as they were read last */
};

/* With no key set. Off, it records nothing, and marks cost a branch. */
void trace_open(struct trace *t, int on, struct trace_words words, const uint64_t *bytes_sent);
void trace_close(struct trace *t);

static inline void trace_set(struct trace *t, int key, int32_t value) { t->keys[key] = value; }
static inline void trace_clear(struct trace *t, int key) { t->keys[key] = TRACE_NO_KEY; }

/* Room for so many more records, touched now, so that none is made while the clock runs. */
void trace_make_room(struct trace *t, uint64_t records);

struct mark trace_begin(struct trace *t);
/* Ends a phase; the mark returned begins the next at the same instant, for one reading of the clock. */
struct mark trace_end(struct trace *t, struct mark m, int phase);

/* Call on all ranks; rank 0 writes the CSV to `file` (ignored elsewhere). */
void trace_write(const struct trace *t, FILE *file);

#endif
