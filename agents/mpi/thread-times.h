/* What a thread did with its time, read seldom enough to cost next to nothing. */
#ifndef PREDICT_MPI_THREAD_TIMES_H
#define PREDICT_MPI_THREAD_TIMES_H
#include <stdint.h>

struct thread_times {
    int schedstat;     /* /proc/thread-self/schedstat, or -1 */
    int64_t read_ns;   /* CLOCK_REALTIME when the others were read last */
    int64_t awake_ns;  /* on a processor and without one */
    int64_t queued_ns; /* of that, without one although it could have run; -1: both unknown */
};

void thread_times_open(struct thread_times *t);
void thread_times_close(struct thread_times *t);

/* Reads them anew where the last time is half a millisecond past. */
void thread_times_read(struct thread_times *t, int64_t now_ns);

/* How long the library of agents/idle has held this thread back in all, and when (CLOCK_REALTIME) it let go last, in
   ns; false without it. Costs no call of the kernel. */
int thread_was_held(int64_t *held_ns, int64_t *until_ns);

#endif
