/* The record of this rank: begun by MPI_Init, ended by MPI_Finalize or by the end of the process. */
#ifndef PREDICT_MPI_TRACE_RECORDER_H
#define PREDICT_MPI_TRACE_RECORDER_H
#include <stdint.h>

#include "format.h"
#include "names.h"

/* A call in progress. */
struct call {
    int on; /* recorded: the outermost call of its thread, while there is a trace */
    enum call_name name;
    int64_t start_ns, end_ns;
    int64_t queued_before_ns;
    int64_t bytes;
    uint64_t group;
    uint32_t order;
    int32_t peer;
};

/* Brackets a call: begin, the call itself, stop (the clock), what is known of it, finish. */
struct call call_begin(enum call_name name);
static inline int call_stop(struct call *c, int result);
int call_finish(struct call *c, int result);
/* Of a test or probe: those that follow each other at once share a record. */
int call_finish_poll(struct call *c, int result, int found);

/* A message of the call; between stop and finish. Returns its number from 1, 0 where there was no room. */
uint32_t message_sent(const struct call *c, const struct message_record *message);
uint32_t message_received(const struct call *c, const struct message_record *message);
/* A send's buffer is free again. */
void message_released(const struct call *c, uint32_t number);
/* The next number in the order of posting. */
uint32_t next_posting(void);

/* Between stop and finish one thread at a time; does nothing where MPI allows one thread only. */
void recorder_lock(void);
void recorder_unlock(void);

/* After MPI_Init; `threads`: several may call MPI at once. */
void recorder_open(int rank, int ranks, int threads);
/* `finalized`: by MPI_Finalize, not by the end of the process. */
void recorder_close(int finalized);
/* The rank of the world, or -1 while nothing is recorded. */
int recorder_rank(void);

int64_t recorder_now_ns(void);

static inline int call_stop(struct call *c, int result)
{
    if (c->on) {
        c->end_ns = recorder_now_ns();
        recorder_lock();
    }
    return result;
}

#endif
