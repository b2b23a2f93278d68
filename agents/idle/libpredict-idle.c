/* Preloaded in the emulated lab only: makes MPI ranks that wait by sched_yield() sleep, so that
   they do not burn their host's CPU quota. On real hosts a rank owns its core and should spin.

   A wait begins with a few real yields, then sleeps from PREDICT_IDLE_MIN_US (20), each time half as
   long again (two ranks that answer each other overshoot less than with doubling), up to
   PREDICT_IDLE_MAX_US (500). Work between two yields begins a new wait, and so does the handling of
   a small message: Open MPI yields once more after it before it lets the program go on. */
#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
  REAL_YIELDS = 4,
  /* The CPU time between two yields that counts as work, in times of the cheapest pass seen and
     within bounds. Measured over TCP: 1 us for a pass that finds nothing, 5 to 20 with a message. */
  WORK_FACTOR = 4,
  LEAST_WORK_NS = 4000,
  MOST_WORK_NS = 50000,
  SLACK_NS = 1000, /* timer slack; the kernel's default of 50 us would dominate short sleeps */
};

static uint64_t least_ns = 20000, most_ns = 500000;

/* The wait of one thread. */
static __thread struct {
  bool ready;
  int yields;          /* real yields taken in this wait */
  uint64_t sleep_ns;   /* the next sleep */
  uint64_t left_ns;    /* CLOCK_MONOTONIC when the last yield returned */
  uint64_t left_cpu_ns; /* this thread's CPU time then */
  uint64_t cheapest_ns; /* the shortest time between two yields: a pass that found nothing */
} wait;

static uint64_t read_clock(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static uint64_t read_micros(const char *name, uint64_t otherwise_ns) {
  const char *text = getenv(name);
  char *end;
  unsigned long micros = text ? strtoul(text, &end, 10) : 0;
  return micros > 0 && micros <= 1000000 && !*end ? micros * 1000 : otherwise_ns;
}

__attribute__((constructor)) static void start(void) {
  least_ns = read_micros("PREDICT_IDLE_MIN_US", least_ns);
  most_ns = read_micros("PREDICT_IDLE_MAX_US", most_ns);
  if (most_ns < least_ns) most_ns = least_ns;
  prctl(PR_SET_TIMERSLACK, (unsigned long)SLACK_NS, 0, 0, 0); /* threads made later inherit it */
}

static uint64_t least_work_ns(void) {
  uint64_t work_ns = WORK_FACTOR * wait.cheapest_ns;
  return work_ns < LEAST_WORK_NS ? LEAST_WORK_NS : work_ns > MOST_WORK_NS ? MOST_WORK_NS : work_ns;
}

/* Elapsed time bounds CPU time from above and is cheap to read: only a long gap, which may also be
   a preemption or the cgroup's throttling, needs the thread's own clock (a system call). */
static bool has_worked(void) {
  uint64_t gap_ns = read_clock(CLOCK_MONOTONIC) - wait.left_ns;
  if (gap_ns < wait.cheapest_ns) wait.cheapest_ns = gap_ns;
  uint64_t work_ns = least_work_ns();
  return gap_ns >= work_ns && read_clock(CLOCK_THREAD_CPUTIME_ID) - wait.left_cpu_ns >= work_ns;
}

static void leave(void) {
  wait.left_cpu_ns = read_clock(CLOCK_THREAD_CPUTIME_ID);
  wait.left_ns = read_clock(CLOCK_MONOTONIC);
}

int sched_yield(void) {
  int kept_errno = errno;
  if (!wait.ready) {
    wait.ready = true;
    prctl(PR_SET_TIMERSLACK, (unsigned long)SLACK_NS, 0, 0, 0);
    wait.sleep_ns = least_ns;
    wait.cheapest_ns = MOST_WORK_NS;
  } else if (has_worked()) {
    wait.yields = 0;
    wait.sleep_ns = least_ns;
  }
  if (wait.yields < REAL_YIELDS) {
    wait.yields++;
    syscall(SYS_sched_yield);
  } else {
    struct timespec pause = {(time_t)(wait.sleep_ns / 1000000000u), (long)(wait.sleep_ns % 1000000000u)};
    clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
    uint64_t longer_ns = wait.sleep_ns + wait.sleep_ns / 2;
    wait.sleep_ns = longer_ns < most_ns ? longer_ns : most_ns;
  }
  leave();
  errno = kept_errno;
  return 0;
}
