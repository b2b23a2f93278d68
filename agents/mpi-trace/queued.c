/* Where the lab's helper is preloaded too (agents/idle), the sleep by which a rank keeps to its share of a core counts
   as well: on a small computer it would have queued. The rest is the run delay of /proc/thread-self/schedstat (Linux
   Documentation/scheduler/sched-stats.rst), a used up quota included. Reading it costs a microsecond, so it is read at
   most every QUIET_NS: what was queued belongs to the computing or the call that ends at the reading, and to what was
   shorter before it. */
#define _GNU_SOURCE
#include "queued.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum { QUIET_NS = 200000, UNOPENED = -2 };

/* All such sleep of this thread so far, and when it ended. */
extern void predict_idle_held(int64_t *all_ns, int64_t *until_ns) __attribute__((weak));

static int64_t held_ns(void)
{
    int64_t all_ns = 0, until_ns;
    if (predict_idle_held) predict_idle_held(&all_ns, &until_ns);
    return all_ns;
}

static __thread int file = UNOPENED;
static __thread int64_t asked_ns, total_ns;

int64_t queued_since_ns(int64_t now_ns)
{
    if (now_ns - asked_ns < QUIET_NS || file == -1) return 0;
    if (file == UNOPENED) file = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    char text[96];
    ssize_t length = file < 0 ? 0 : pread(file, text, sizeof text - 1, 0);
    if (length <= 0) {
        file = -1;
        return 0;
    }
    text[length] = '\0';
    char *rest;
    strtoull(text, &rest, 10);
    int64_t before_ns = total_ns;
    total_ns = (int64_t)strtoull(rest, NULL, 10) + held_ns();
    int64_t queued_ns = asked_ns == 0 ? 0 : total_ns - before_ns;
    int64_t most_ns = now_ns - asked_ns;
    asked_ns = now_ns;
    return queued_ns < most_ns ? queued_ns : most_ns;
}
