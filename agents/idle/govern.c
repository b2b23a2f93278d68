/* A small computer out of a large one. The kernel's own quota is enforced at its ticks: on 6 % of a core a thread
   computes for 4 ms and then stands still for 60. Here a timer ends each piece of work after PREDICT_CPU_PIECE_US (500)
   of it, and the thread sleeps until the share of the core has caught up: 0.5 ms of work and 8 ms of sleep.

   All threads fill one bucket: ready_ns is when the share has caught up with all that was computed. A thread whose
   piece ends adds it and sleeps until that moment, however much others add meanwhile, so threads take turns and none
   waits for another. Work counts from the last look at the thread on, a piece ago at most; after a sleep that was not
   looked at, as done at its end: waiting is not saved up, and that others have the processor counts as rest.

   A piece ends by the clock, so a thread that sleeps unknown to us (a lock, a condition) is woken by it, three times:
   then its own CPU time sets the timer off, which the kernel looks at in ticks, and only while the thread computes. */
#include "govern.h"
#include "rank.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { LEAST_PIECE_NS = 50000, HARDLY_NS = 25000, MOST_PARTS = 4, UNKNOWN = -1 };

static double share;      /* of a core; 0: of all that the host has */
static int64_t piece_ns;  /* of one thread, if no other is held */
static int64_t enough_ns; /* that a thread sleeps at least: what it owes after nearly a piece */
static _Atomic int64_t ready_ns;
static atomic_int holding;  /* threads that are held now */
static atomic_int free_now; /* nothing is measured */
static atomic_int changes;  /* of that */

/* Initial-exec (agents/host/Makefile), so that the handler allocates nothing. */
static __thread struct {
    timer_t soon, later; /* by the clock; by the thread's CPU time */
    int made, is_later;  /* has timers; `later` was set last */
    pid_t id;
    int changes;                /* as of the last look */
    int64_t looked_ns, used_ns; /* CLOCK_MONOTONIC and CPU time at the last look */
    int64_t left_ns;            /* CPU time at its end, */
    int64_t ready_ns;           /* when the share has caught up with this thread's last work */
    long switches;              /* by which it gave up the processor, at a look after hardly any work, or UNKNOWN */
    int64_t held_ns, held_until_ns;
} mine;

static int64_t read_clock(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void set_timer(timer_t timer, int64_t ns)
{
    const struct itimerspec after = {{0, 0}, {0, ns}};
    timer_settime(timer, 0, &after, NULL);
}

static void stop_timers(void)
{
    set_timer(mine.soon, 0);
    if (mine.is_later) set_timer(mine.later, 0);
}

/* When the thread computes on, it has come to the end of a piece at the next look. */
static void look_soon(void)
{
    int parts = 1 + atomic_load(&holding);
    int64_t left_ns = piece_ns / (parts < MOST_PARTS ? parts : MOST_PARTS);
    int64_t owed_ns = mine.ready_ns - mine.looked_ns;
    if (owed_ns > 0) left_ns -= (int64_t)((double)owed_ns * share / (1 - share));
    mine.is_later = 0;
    set_timer(mine.soon, left_ns > LEAST_PIECE_NS ? left_ns : LEAST_PIECE_NS);
}

static void look_later(void)
{
    mine.is_later = 1;
    set_timer(mine.later, LEAST_PIECE_NS);
}

/* Adds what the thread has computed since the last look; returns it without the look itself, in ns. */
static int64_t add_work(void)
{
    int64_t used_ns = read_clock(CLOCK_THREAD_CPUTIME_ID), now_ns = read_clock(CLOCK_MONOTONIC);
    int64_t worked_ns = used_ns - mine.used_ns, own_ns = used_ns - mine.left_ns,
            began_ns = mine.is_later ? now_ns - worked_ns : mine.looked_ns;
    int64_t all_ns = atomic_load(&ready_ns), then_ns = all_ns;
    int now_changes = atomic_load(&changes);
    mine.looked_ns = now_ns;
    mine.used_ns = used_ns;
    if (atomic_load(&free_now) || mine.changes != now_changes) {
        mine.changes = now_changes;
        mine.ready_ns = now_ns;
        return own_ns;
    }
    while (worked_ns > 0) {
        then_ns = (all_ns > began_ns ? all_ns : began_ns) + (int64_t)((double)worked_ns / share);
        if (atomic_compare_exchange_weak(&ready_ns, &all_ns, then_ns)) break;
    }
    if (worked_ns > 0) mine.ready_ns = then_ns;
    return own_ns;
}

static void sleep_until_ready(void)
{
    const struct timespec until = {mine.ready_ns / 1000000000, mine.ready_ns % 1000000000};
    int64_t from_ns = mine.looked_ns;
    atomic_fetch_add(&holding, 1);
    /* The kernel's own: the one of undisturbed.c would set timers. */
    while (syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) != 0 && errno == EINTR) {
    }
    atomic_fetch_sub(&holding, 1);
    /* Beyond that the thread queues for a processor, which the kernel counts. */
    mine.held_ns += mine.ready_ns - from_ns;
    mine.held_until_ns = read_clock(CLOCK_REALTIME);
    mine.looked_ns = read_clock(CLOCK_MONOTONIC);
    mine.switches = UNKNOWN;
}

static int owes_enough(void) { return mine.ready_ns - mine.looked_ns >= enough_ns; }

/* Whether the thread slept twice in a row instead of computing; that it was not let compute is no sleep. */
static int sleeps(int64_t worked_ns)
{
    long before = mine.switches;
    struct rusage usage;
    mine.switches = UNKNOWN;
    if (worked_ns >= HARDLY_NS || getrusage(RUSAGE_THREAD, &usage) != 0) return 0;
    mine.switches = usage.ru_nvcsw;
    return before != UNKNOWN && before != mine.switches;
}

/* Profilers know sleep below it as time without a processor, by this name. */
void predict_idle_hold(int number)
{
    int kept_errno = errno;
    int64_t worked_ns = add_work();
    /* A thread that hardly worked is no part of what others owe. */
    if (owes_enough() && (number == 0 || worked_ns >= HARDLY_NS)) sleep_until_ready();
    if (number == 0) mine.switches = UNKNOWN;
    if (atomic_load(&free_now) || (number != 0 && sleeps(worked_ns))) look_later();
    else look_soon();
    mine.left_ns = read_clock(CLOCK_THREAD_CPUTIME_ID);
    errno = kept_errno;
}

void predict_idle_held(int64_t *all_ns, int64_t *until_ns)
{
    *all_ns = mine.held_ns;
    *until_ns = mine.held_until_ns;
}

/* A child of vfork() has its parent's memory. */
static int is_own(void) { return mine.made && (pid_t)syscall(SYS_gettid) == mine.id; }

int govern_wait_begins(void)
{
    if (!is_own()) return 0;
    stop_timers();
    add_work();
    return 1;
}

void govern_wait_ends(void) { predict_idle_hold(0); }

int64_t govern_owes(void)
{
    if (!mine.made) return 0;
    int64_t owed_ns = mine.ready_ns - read_clock(CLOCK_MONOTONIC);
    return owed_ns > 0 ? owed_ns : 0;
}

void predict_measured(int is)
{
    if (!mine.made || (is != 0) != atomic_load(&free_now)) return;
    stop_timers();
    atomic_store(&ready_ns, read_clock(CLOCK_MONOTONIC));
    atomic_fetch_add(&changes, 1);
    atomic_store(&free_now, !is);
    predict_idle_hold(0);
}

static int signal_number(void) { return SIGRTMAX - 3; }

/* False where the kernel has no more timers. */
static int make_timers(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = signal_number()};
    memset(&mine, 0, sizeof mine);
    mine.id = (pid_t)syscall(SYS_gettid);
    event._sigev_un._tid = mine.id;
    if (timer_create(CLOCK_MONOTONIC, &event, &mine.soon) != 0) return 0;
    if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &mine.later) != 0) return 0;
    mine.made = 1;
    mine.used_ns = read_clock(CLOCK_THREAD_CPUTIME_ID);
    mine.looked_ns = read_clock(CLOCK_MONOTONIC);
    mine.ready_ns = atomic_load(&ready_ns);
    mine.changes = atomic_load(&changes);
    sigset_t own;
    sigemptyset(&own);
    sigaddset(&own, signal_number());
    pthread_sigmask(SIG_UNBLOCK, &own, NULL);
    return 1;
}

void govern_thread_begins(void)
{
    if (make_timers()) predict_idle_hold(0);
}

void govern_thread_ends(void)
{
    if (!mine.made) return;
    stop_timers();
    add_work();
    if (owes_enough()) sleep_until_ready();
    mine.made = 0;
    timer_delete(mine.soon);
    timer_delete(mine.later);
}

/* A child of fork() is a process of its own, without timers; most execute another program at once. */
static void begin_as_child(void)
{
    atomic_store(&holding, 0);
    atomic_store(&ready_ns, read_clock(CLOCK_MONOTONIC));
    if (make_timers()) look_later();
}

int govern_start(void)
{
    const char *percent = getenv("PREDICT_CPU_PERCENT");
    const char *piece = getenv("PREDICT_CPU_PIECE_US");
    double asked = percent ? atof(percent) / 100 : 0;
    if (share > 0) return 1;
    if (!(asked > 0 && asked < 1) || !is_rank()) return 0;
    struct sigaction action = {.sa_handler = predict_idle_hold, .sa_flags = SA_RESTART};
    if (sigaction(signal_number(), &action, NULL) != 0) return 0;
    share = asked;
    piece_ns = piece && atol(piece) > 0 ? 1000 * atol(piece) : 500000;
    enough_ns = (int64_t)((double)(piece_ns - LEAST_PIECE_NS) * (1 - share) / share);
    pthread_atfork(NULL, NULL, begin_as_child);
    govern_thread_begins();
    return 1;
}
