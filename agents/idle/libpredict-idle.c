/* Preloaded in the emulated lab only: makes MPI ranks that wait by sched_yield() wait in the kernel,
   so that they do not burn their host's CPU quota. On real hosts a rank owns its core and should spin.

   An MPI library that polls asks poll() or epoll_wait() without a timeout and, Open MPI, yields when there was nothing.
   The yield then blocks on the same descriptors; of a library that never yields (MPICH with one thread) the question
   does, once FREE_ASKS were in vain with nothing between. The next message ends the wait at once, and waiting costs
   nothing: a block takes LONGEST_BLOCK_NS at most, or PREDICT_IDLE_BLOCK_US and then a 64th of the time that was
   waited in vain, if that is longer, so that a long wait costs few wake-ups: on a few percent of a core each one costs
   as much as a millisecond. In a test of a program that has other work to do (tests.c) a block takes as long as the
   program owes rest for its work (govern.c), so that it loses nothing, or TEST_NS, and the next one comes after
   BETWEEN_NS at the earliest. In a question blocks begin with TEST_NS and double: it may not be a wait after all.
   The first yields after a message or after work return at once, because Open MPI yields once more before it lets the
   program go on. Without a question before it a yield sleeps, from PREDICT_IDLE_MIN_US (20) on, each time half as long
   again, up to PREDICT_IDLE_MAX_US (500). */
#include "govern.h"
#include "idle.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    /* Wakes a waiting rank for whatever no descriptor announces (timers of the library). */
    LONGEST_BLOCK_NS = 10000000,
    VAIN_PARTS = 64,
    TEST_NS = 20000,     /* of a block in a test of a program that has other work to do, if it owes no longer one, */
    BETWEEN_NS = 100000, /* and the time between two of them */
    FREE_YIELDS = 2,
    FREE_ASKS = 8,
    WORK_NS = 20000, /* longer between two yields or questions: the program did something else than wait */
    SLACK_NS = 1000, /* timer slack; the kernel's default of 50 us would dominate short sleeps */
};

static uint64_t least_ns = 20000, most_ns = 500000, block_ns = LONGEST_BLOCK_NS;

enum { MOST_DESCRIPTORS = 1024, MOST_SETS = 8 };

/* The wait of one thread. */
static __thread struct {
    nfds_t asked;        /* descriptors that were asked without a timeout and had nothing; 0: none */
    int sets;            /* of epoll, likewise */
    int yields;          /* yields of this wait so far, up to FREE_YIELDS */
    int asks;            /* questions in vain without a yield */
    uint64_t left_ns;    /* CLOCK_MONOTONIC when the last yield or question in vain returned */
    uint64_t sleep_ns;   /* the next sleep, where there is nothing to block on */
    int tests;           /* the program tests, */
    int blocked;         /* and was blocked in it, */
    int works;           /* and has other work to do */
    int waited;          /* messages were looked for outside of tests since the last one */
    uint64_t put_off_ns; /* CLOCK_MONOTONIC when a test of a program with other work last returned from a block */
    uint64_t vain_ns;    /* blocked since the last message or work, while nothing came */
    int set[MOST_SETS];
    struct pollfd descriptors[MOST_DESCRIPTORS + MOST_SETS];
} wait;

static uint64_t read_micros(const char *name, uint64_t otherwise_ns)
{
    const char *text = getenv(name);
    char *end;
    unsigned long micros = text ? strtoul(text, &end, 10) : 0;
    return micros > 0 && micros <= 1000000 && !*end ? micros * 1000 : otherwise_ns;
}

__attribute__((constructor)) static void start(void)
{
    least_ns = read_micros("PREDICT_IDLE_MIN_US", least_ns);
    most_ns = read_micros("PREDICT_IDLE_MAX_US", most_ns);
    block_ns = read_micros("PREDICT_IDLE_BLOCK_US", block_ns);
    if (most_ns < least_ns) most_ns = least_ns;
    prctl(PR_SET_TIMERSLACK, (unsigned long)SLACK_NS, 0, 0, 0); /* threads made later inherit it */
    govern_start();
}

static void begin_anew(void)
{
    wait.yields = wait.asks = 0;
    wait.vain_ns = 0;
}

void idle_test_begins(int works)
{
    wait.tests = 1;
    wait.blocked = 0;
    if (works && !wait.works) begin_anew();
    wait.works = works;
}

int idle_test_ends(void)
{
    wait.tests = wait.waited = 0;
    return wait.blocked;
}

int idle_waited(void) { return wait.waited; }

uint64_t idle_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void sleep_longer(void)
{
    if (wait.sleep_ns < least_ns) wait.sleep_ns = least_ns;
    struct timespec pause = {(time_t)(wait.sleep_ns / 1000000000u), (long)(wait.sleep_ns % 1000000000u)};
    syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &pause, NULL);
    wait.sleep_ns += wait.sleep_ns / 2;
    if (wait.sleep_ns > most_ns) wait.sleep_ns = most_ns;
}

/* `asks`: in a question, which ends at once if there is an answer; true if there may be one now. */
static int block(int asks)
{
    uint64_t longest_ns = block_ns;
    nfds_t count = wait.asked;
    for (int i = 0; i < wait.sets; i++) wait.descriptors[count++] = (struct pollfd){wait.set[i], POLLIN, 0};
    if (wait.tests && wait.works) {
        uint64_t owed_ns = (uint64_t)govern_owes();
        longest_ns = owed_ns > TEST_NS ? owed_ns : TEST_NS;
    } else if (asks && TEST_NS + wait.vain_ns < block_ns) longest_ns = TEST_NS + wait.vain_ns;
    else if (longest_ns < wait.vain_ns / VAIN_PARTS) longest_ns = wait.vain_ns / VAIN_PARTS;
    if (longest_ns > LONGEST_BLOCK_NS) longest_ns = LONGEST_BLOCK_NS;
    const struct timespec longest = {0, (long)longest_ns};
    int answers = (int)syscall(SYS_ppoll, wait.descriptors, count, &longest, NULL, 0) > 0;
    if (answers) begin_anew();
    else wait.vain_ns += longest_ns;
    if (wait.tests) wait.put_off_ns = idle_now();
    wait.blocked = 1;
    return answers;
}

/* Whether this test may not block: one did a moment ago, or there is nothing to block on. */
static int goes_on(void)
{
    return wait.tests && wait.works &&
           (wait.asked + (nfds_t)wait.sets == 0 || idle_now() - wait.put_off_ns < BETWEEN_NS);
}

/* A question begins, before it is put. */
static void ask(void)
{
    if (!wait.tests) wait.waited = 1;
    if (idle_now() - wait.left_ns > WORK_NS) begin_anew();
    if (wait.asks == 0) wait.sets = 0;
}

/* It was in vain. True if there was a block, and an answer may be there. */
static int ask_in_vain(void)
{
    int answers = 0;
    wait.asks++;
    if (wait.asks > FREE_ASKS && !goes_on()) {
        int own = govern_wait_begins();
        answers = block(1);
        if (own) govern_wait_ends();
    }
    wait.left_ns = idle_now();
    return answers;
}

static int next_poll(struct pollfd *descriptors, nfds_t count, int timeout_ms)
{
    static int (*next)(struct pollfd *, nfds_t, int);
    if (!next) *(void **)&next = dlsym(RTLD_NEXT, "poll");
    int own = timeout_ms != 0 && govern_wait_begins();
    int ready = next(descriptors, count, timeout_ms), kept_errno = errno;
    if (own) govern_wait_ends();
    errno = kept_errno;
    return ready;
}

int poll(struct pollfd *descriptors, nfds_t count, int timeout_ms)
{
    if (timeout_ms != 0) return next_poll(descriptors, count, timeout_ms);
    ask();
    int ready = next_poll(descriptors, count, 0);
    wait.asked = ready == 0 && count <= MOST_DESCRIPTORS ? count : 0;
    memcpy(wait.descriptors, descriptors, wait.asked * sizeof *descriptors);
    if (ready != 0) begin_anew();
    else if (ask_in_vain()) ready = next_poll(descriptors, count, 0);
    return ready;
}

static int next_epoll_wait(int set, struct epoll_event *events, int most, int timeout_ms)
{
    static int (*next)(int, struct epoll_event *, int, int);
    if (!next) *(void **)&next = dlsym(RTLD_NEXT, "epoll_wait");
    int own = timeout_ms != 0 && govern_wait_begins();
    int ready = next(set, events, most, timeout_ms), kept_errno = errno;
    if (own) govern_wait_ends();
    errno = kept_errno;
    return ready;
}

static void remember_set(int set)
{
    for (int i = 0; i < wait.sets; i++)
        if (wait.set[i] == set) return;
    if (wait.sets < MOST_SETS) wait.set[wait.sets++] = set;
}

int epoll_wait(int set, struct epoll_event *events, int most, int timeout_ms)
{
    if (timeout_ms != 0) return next_epoll_wait(set, events, most, timeout_ms);
    ask();
    int ready = next_epoll_wait(set, events, most, 0);
    remember_set(set);
    if (ready != 0) begin_anew();
    else if (ask_in_vain()) ready = next_epoll_wait(set, events, most, 0);
    return ready;
}

int sched_yield(void)
{
    int kept_errno = errno;
    if (idle_now() - wait.left_ns > WORK_NS) begin_anew();
    if (wait.yields < FREE_YIELDS) {
        wait.yields++;
        wait.sleep_ns = 0;
        syscall(SYS_sched_yield);
    } else if (goes_on()) {
        syscall(SYS_sched_yield);
    } else {
        int own = govern_wait_begins();
        if (wait.asked > 0 || wait.sets > 0) block(0);
        else sleep_longer();
        if (own) govern_wait_ends();
    }
    wait.asked = 0; /* the next yield wants a new question */
    wait.sets = wait.asks = 0;
    wait.left_ns = idle_now();
    errno = kept_errno;
    return 0;
}
