/* Two calls of the kernel take some 2 us: once in half a millisecond that is less than half a percent.

   Source: /proc/thread-self/schedstat, Linux Documentation/scheduler/sched-stats.rst (time running, time queued, in
   ns, and the number of timeslices). Time on a processor is by the thread's own clock, which schedstat brings up to
   date only now and then. */
#define _POSIX_C_SOURCE 200809L
#include "thread-times.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "clock.h"

enum { READ_EVERY_NS = 500000 };

/* Of agents/idle (govern.h), where it is preloaded. */
extern void predict_idle_held(int64_t *held_ns, int64_t *until_ns) __attribute__((weak));

void thread_times_open(struct thread_times *t)
{
    *t = (struct thread_times){.schedstat = open("/proc/thread-self/schedstat", O_RDONLY)};
}

void thread_times_close(struct thread_times *t)
{
    if (t->schedstat >= 0) close(t->schedstat);
    t->schedstat = -1;
}

int thread_was_held(int64_t *held_ns, int64_t *until_ns)
{
    *held_ns = *until_ns = 0;
    if (!predict_idle_held) return 0;
    predict_idle_held(held_ns, until_ns);
    return 1;
}

/* Time in the queue, a used up quota included. */
static int64_t queued_ns(const struct thread_times *t)
{
    char text[128];
    ssize_t length = t->schedstat < 0 ? 0 : pread(t->schedstat, text, sizeof text - 1, 0);
    if (length <= 0) return -1;
    text[length] = '\0';
    char *rest;
    int64_t held_ns, until_ns;
    strtoull(text, &rest, 10);
    thread_was_held(&held_ns, &until_ns);
    return (int64_t)strtoull(rest, NULL, 10) + held_ns;
}

void thread_times_read(struct thread_times *t, int64_t now_ns)
{
    if (now_ns - t->read_ns < READ_EVERY_NS) return;
    t->read_ns = now_ns;
    t->queued_ns = queued_ns(t);
    t->awake_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) + t->queued_ns;
}
