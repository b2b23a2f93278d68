/* Preloaded in the emulated lab only: makes MPI ranks that wait by sched_yield() wait in the kernel,
   so that they do not burn their host's CPU quota. On real hosts a rank owns its core and should spin.

   An MPI library that polls asks poll() without a timeout and yields when there was nothing. The
   yield then blocks on the same descriptors: the next message ends the wait at once, and waiting
   costs nothing: a block takes LONGEST_BLOCK_NS at most, or PREDICT_IDLE_BLOCK_US and then a 64th of the time that was
   waited in vain, if that is longer, so that a long wait costs few wake-ups: on a few percent of a core each one costs
   as much as a millisecond. In a test of a program that has other work to do (tests.c) a block takes as long as the
   program owes rest for its work (govern.c), so that it loses nothing, or TEST_NS, and the next one comes after
   BETWEEN_NS at the earliest.
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
    WORK_NS = 20000, /* longer between two yields: the program did something else than wait */
    SLACK_NS = 1000, /* timer slack; the kernel's default of 50 us would dominate short sleeps */
};

static uint64_t least_ns = 20000, most_ns = 500000, block_ns = LONGEST_BLOCK_NS;
static int (*real_poll)(struct pollfd *, nfds_t, int);

enum { MOST_DESCRIPTORS = 1024 };

/* The wait of one thread. */
static __thread struct {
    nfds_t asked;        /* descriptors that were asked without a timeout and had nothing; 0: none */
    int yields;          /* yields of this wait so far, up to FREE_YIELDS */
    uint64_t left_ns;    /* CLOCK_MONOTONIC when the last yield returned */
    uint64_t sleep_ns;   /* the next sleep, where there is nothing to block on */
    int tests;           /* the program tests, */
    int works;           /* and has other work to do */
    int waited;          /* messages were looked for outside of tests since the last one */
    uint64_t put_off_ns; /* CLOCK_MONOTONIC when a test of a program with other work last returned from a block */
    uint64_t vain_ns;    /* blocked since the last message or work, while nothing came */
    struct pollfd descriptors[MOST_DESCRIPTORS];
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
    real_poll = (int (*)(struct pollfd *, nfds_t, int))dlsym(RTLD_NEXT, "poll");
    least_ns = read_micros("PREDICT_IDLE_MIN_US", least_ns);
    most_ns = read_micros("PREDICT_IDLE_MAX_US", most_ns);
    block_ns = read_micros("PREDICT_IDLE_BLOCK_US", block_ns);
    if (most_ns < least_ns) most_ns = least_ns;
    prctl(PR_SET_TIMERSLACK, (unsigned long)SLACK_NS, 0, 0, 0); /* threads made later inherit it */
    govern_start();
}

/* MPI's own way to tell tools what counts: level 0 begins what nobody measures, which may use all that the host has. */
int MPI_Pcontrol(const int level, ...)
{
    govern_keep(level != 0);
    return 0;
}

static void begin_anew(void)
{
    wait.yields = 0;
    wait.vain_ns = 0;
}

void idle_test_begins(int works)
{
    wait.tests = 1;
    if (works && !wait.works) begin_anew();
    wait.works = works;
}

void idle_test_ends(void) { wait.tests = wait.waited = 0; }

int idle_waited(void) { return wait.waited; }

int poll(struct pollfd *descriptors, nfds_t count, int timeout_ms)
{
    int ready = real_poll(descriptors, count, timeout_ms);
    if (timeout_ms == 0) {
        if (!wait.tests) wait.waited = 1;
        wait.asked = ready == 0 && count <= MOST_DESCRIPTORS ? count : 0;
        memcpy(wait.descriptors, descriptors, wait.asked * sizeof *descriptors);
        if (ready != 0) begin_anew();
    }
    return ready;
}

static void sleep_longer(void)
{
    if (wait.sleep_ns < least_ns) wait.sleep_ns = least_ns;
    struct timespec pause = {(time_t)(wait.sleep_ns / 1000000000u), (long)(wait.sleep_ns % 1000000000u)};
    clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
    wait.sleep_ns += wait.sleep_ns / 2;
    if (wait.sleep_ns > most_ns) wait.sleep_ns = most_ns;
}

static void block(void)
{
    uint64_t longest_ns = block_ns;
    if (wait.tests && wait.works) {
        uint64_t owed_ns = (uint64_t)govern_owes();
        longest_ns = owed_ns > TEST_NS ? owed_ns : TEST_NS;
    } else if (longest_ns < wait.vain_ns / VAIN_PARTS) longest_ns = wait.vain_ns / VAIN_PARTS;
    if (longest_ns > LONGEST_BLOCK_NS) longest_ns = LONGEST_BLOCK_NS;
    const struct timespec longest = {0, (long)longest_ns};
    if (ppoll(wait.descriptors, wait.asked, &longest, NULL) > 0) begin_anew();
    else wait.vain_ns += longest_ns;
    if (wait.tests) wait.put_off_ns = idle_now();
}

/* Whether this test may not block: one did a moment ago, or there is nothing to block on. */
static int goes_on(void)
{
    return wait.tests && wait.works && (wait.asked == 0 || idle_now() - wait.put_off_ns < BETWEEN_NS);
}

uint64_t idle_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
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
    } else if (wait.asked > 0) {
        govern_wait_begins();
        block();
        govern_wait_ends();
    } else {
        govern_wait_begins();
        sleep_longer();
        govern_wait_ends();
    }
    wait.asked = 0; /* the next yield wants a new question */
    wait.left_ns = idle_now();
    errno = kept_errno;
    return 0;
}
