/* A small computer out of a large one. The kernel's own quota is enforced at its ticks: on 6 % of a core a thread
   computes for 4 ms and then stands still for 60. Here a timer ends each piece of work after PREDICT_CPU_PIECE_US (500)
   of it, and the thread sleeps until its share of the core has caught up: 0.5 ms of work and 8 ms of sleep. What it
   waits for others counts as sleep, but is not saved up. */
#include "govern.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { LEAST_PIECE_NS = 50000 };

static timer_t timer;
static int made;     /* the thread has a timer */
static int governed; /* and keeps to its share */
static double share; /* of a core */
static int64_t piece_ns = 500000;
/* Since when, and at which CPU time of the thread, work is counted. */
static int64_t since_ns, used_ns;
static int64_t held_ns, held_until_ns;

static int64_t read_clock(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void set_timer(int64_t ns)
{
    const struct itimerspec after = {{0, 0}, {0, ns}};
    timer_settime(timer, 0, &after, NULL);
}

/* Work is counted anew once the share has caught up with it; returns how much of the piece is left. */
static int64_t settle(int may_sleep)
{
    int64_t used = read_clock(CLOCK_THREAD_CPUTIME_ID) - used_ns;
    int64_t ready_ns = since_ns + (int64_t)((double)used / share);
    int64_t now_ns = read_clock(CLOCK_MONOTONIC);
    if (now_ns < ready_ns && used < piece_ns - LEAST_PIECE_NS) return piece_ns - used;
    while (may_sleep && now_ns < ready_ns) {
        const struct timespec until = {ready_ns / 1000000000, ready_ns % 1000000000};
        int64_t from_ns = now_ns;
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
        now_ns = read_clock(CLOCK_MONOTONIC);
        /* Beyond that the thread queues for a processor, which the kernel counts. */
        held_ns += (now_ns < ready_ns ? now_ns : ready_ns) - from_ns;
        held_until_ns = read_clock(CLOCK_REALTIME);
    }
    if (now_ns < ready_ns) return LEAST_PIECE_NS;
    since_ns = now_ns;
    used_ns = read_clock(CLOCK_THREAD_CPUTIME_ID);
    return piece_ns;
}

void predict_idle_held(int64_t *all_ns, int64_t *until_ns)
{
    *all_ns = held_ns;
    *until_ns = held_until_ns;
}

/* Profilers know sleep below it as time without a processor, by this name. */
void predict_idle_hold(int number)
{
    (void)number;
    int kept_errno = errno;
    set_timer(settle(1));
    errno = kept_errno;
}

void govern_wait_begins(void)
{
    if (governed) set_timer(0);
}

void govern_wait_ends(void)
{
    if (governed) set_timer(settle(0));
}

int64_t govern_owes(void)
{
    if (!governed) return 0;
    int64_t used = read_clock(CLOCK_THREAD_CPUTIME_ID) - used_ns;
    int64_t owed = since_ns + (int64_t)((double)used / share) - read_clock(CLOCK_MONOTONIC);
    return owed > 0 ? owed : 0;
}

void govern_keep(int keeps)
{
    if (!made || governed == keeps) return;
    governed = keeps;
    since_ns = read_clock(CLOCK_MONOTONIC);
    used_ns = read_clock(CLOCK_THREAD_CPUTIME_ID);
    set_timer(keeps ? piece_ns : 0);
}

void govern_start(void)
{
    const char *percent = getenv("PREDICT_CPU_PERCENT");
    const char *piece = getenv("PREDICT_CPU_PIECE_US");
    if (!percent || !getenv("OMPI_COMM_WORLD_RANK")) return;
    share = atof(percent) / 100;
    if (piece && atol(piece) > 0) piece_ns = 1000 * atol(piece);
    if (!(share > 0 && share < 1)) return;
    const int number = SIGRTMAX - 3;
    struct sigaction action = {.sa_handler = predict_idle_hold, .sa_flags = SA_RESTART};
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = number};
    event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
    if (sigaction(number, &action, NULL) != 0 || timer_create(CLOCK_MONOTONIC, &event, &timer) != 0) return;
    made = 1;
    govern_keep(1);
}
