/* `pipes`: a clock of fixed period like `sample`'s; the counts of many ticks are printed as one slice. */
#include "pipes.h"
#include "agent.h"
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int run_pipes(struct arguments *arguments);

const struct command pipes_command = {
    .name = "pipes",
    .summary = "watch processes that are joined by pipes and TCP connections",
    .help =
        "predict-agent pipes [--hz 50] [--slice 0.25] [--pid N]... [--joined] [-- COMMAND [ARGUMENT]...]\n"
        "Watches the processes with these pids, or COMMAND (under `guard`), and all that they start,\n"
        "until stdin ends, a signal comes, COMMAND ends or all PIDs have; COMMAND ends with it. What COMMAND prints\n"
        "goes to stderr, its input is empty. --joined: processes at the other ends of pipes too.\n"
        "Lines of stdin: \"follow tcp:ADDRESS:PORT-ADDRESS:PORT\": who holds that connection, own end\n"
        "first, belongs to the job, and who is joined to it.\n"
        "Prints lines of words that tabs divide (CLOCK_REALTIME in ns; counts of the slice's samples):\n"
        "  process PID START PARENT NAME ARGUMENTS   one that came, or runs another program\n"
        "  ends PID [FD,r|w|rw,CHANNEL]...           what it holds, after each change\n"
        "  gone PID ended|reused                     reused: the number is another process's\n"
        "  denied PID                                it may not be looked at\n"
        "  outside CHANNEL r|w PID NAME              who reads or writes a pipe and is not watched\n"
        "  slice FROM TO SAMPLES MISSED              then, of the slice:\n"
        "  did PID SEEN RUNNING DISK POLLING HOLDING CPU_NS QUEUE_NS READ_BYTES WRITTEN_BYTES THREADS\n"
        "      POLLING: in poll(2) and its like for input of several channels; HOLDING: in wait(2) for a child;\n"
        "      times and bytes since its start, - where they may not be read\n"
        "  waited PID CHANNEL r|w COUNT              blocked reading or writing there\n"
        "  level CHANNEL SAMPLES FULL LEVEL_SUM CAPACITY SENT RECEIVED\n"
        "  exit CODE                                 of COMMAND\n"
        "and at the end \"#end slices=N missed=M cpu_ns=X\".\n\n"
        "Example: predict-agent pipes -- sh -c 'zcat big.gz | wc -l'\n",
    .run = run_pipes,
};

static volatile sig_atomic_t ended;

static void note_end(int signal)
{
    if (signal != SIGCHLD) ended = 1;
}

/* Between scans: while processes and ends come and go, and else. A process that comes is seen at once. */
enum { SCAN_NS = 250000000, QUIET_SCAN_NS = 1000000000 };

/* ---- the command ---- */

/* Starts `guard` with the command; the write end of its input, whose end ends the command, or -1. */
static int start_command(struct pipes *pipes, char **words, int count, const sigset_t *unblocked, int nice_before)
{
    int input[2];
    char **line = calloc((size_t)count + 4, sizeof *line);
    if (!line || pipe2(input, O_CLOEXEC) != 0) return -1;
    line[0] = "predict-agent";
    line[1] = "guard";
    line[2] = "--";
    memcpy(line + 3, words, (size_t)count * sizeof *line);
    pipes->guard = fork();
    if (pipes->guard == 0) {
        sigprocmask(SIG_SETMASK, unblocked, NULL);
        setpriority(PRIO_PROCESS, 0, nice_before);
        if (dup2(input[0], 0) != 0 || dup2(2, 1) != 1) _exit(127);
        syscall(SYS_close_range, 3u, ~0u, 0u); /* pipes of others would be ends that the command holds */
        execv("/proc/self/exe", line);
        _exit(127);
    }
    free(line);
    close(input[0]);
    return pipes->guard < 0 ? -1 : input[1];
}

static bool take_exit(struct pipes *pipes, int options)
{
    int status;
    pid_t reaped;
    do reaped = waitpid(pipes->guard, &status, options);
    while (reaped < 0 && errno == EINTR);
    if (reaped != pipes->guard) return false;
    char line[64];
    snprintf(line, sizeof line, "exit\t%d", WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    output_line(&pipes->output, line);
    pipes->guard = 0;
    return true;
}

/* ---- input ---- */

static void take_line(struct pipes *pipes, const char *line)
{
    struct follow follow = {.until_ns = now_ns(MONOTONIC) + 5000000000u};
    enum { MOST = sizeof pipes->follows / sizeof *pipes->follows };
    if (strncmp(line, "follow ", 7) != 0 || pipes->follows_count == MOST) return;
    if (parse_connection(line + 7, &follow.connection)) pipes->follows[pipes->follows_count++] = follow;
}

/* False once stdin has ended. */
static bool take_input(struct pipes *pipes)
{
    static char text[4096];
    static size_t used;
    ssize_t length = read(0, text + used, sizeof text - used - 1);
    if (length == 0) return false;
    if (length < 0) return errno == EINTR || errno == EAGAIN;
    used += (size_t)length;
    text[used] = '\0';
    char *line = text;
    for (char *end; (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        take_line(pipes, line);
    }
    used = strlen(line);
    if (used == sizeof text - 1) used = 0; /* no line of ours is so long */
    memmove(text, line, used);
    return true;
}

/* Sleeps until the deadline; true when there is a reason to end. */
static bool rest_until(struct pipes *pipes, uint64_t deadline_ns, const sigset_t *while_asleep)
{
    for (;;) {
        uint64_t now = now_ns(MONOTONIC), left = deadline_ns > now ? deadline_ns - now : 0;
        struct timespec timeout = {(time_t)(left / 1000000000u), (long)(left % 1000000000u)};
        struct pollfd input = {.fd = 0, .events = POLLIN};
        int ready = ppoll(&input, 1, &timeout, while_asleep);
        if (ended) return true;
        if (pipes->guard > 0 && take_exit(pipes, WNOHANG)) return true;
        if (ready > 0 && !take_input(pipes)) return true;
        if (ready == 0 && now_ns(MONOTONIC) >= deadline_ns) return false;
    }
}

/* When the sample of this number is due, ns after the first: somewhere in its period, at a place that moves on by the
   golden section. Samples at equal distances would meet a stage that takes as long for a record, or a part of it,
   always at the same point of its work; these are spread evenly over its cycle whatever that lasts (Weyl, 1916). */
static uint64_t due_ns(uint64_t number, uint64_t period_ns)
{
    const double golden = 0.6180339887498949;
    double place = (double)number * golden;
    return number * period_ns + (uint64_t)((place - floor(place)) * (double)period_ns);
}

static void watch_until_end(struct pipes *pipes, uint64_t period_ns, uint64_t slice_ns, bool pids_given,
                            const sigset_t *while_asleep)
{
    uint64_t begun = now_ns(MONOTONIC), number = 0, slice_from = now_ns(REALTIME), slice_end = begun + slice_ns;
    uint64_t scanned = begun;
    bool over = false;
    pipes_scan(pipes, begun);
    while (!over && !pipes->output.broken) {
        pipes_tick(pipes);
        uint64_t now = now_ns(MONOTONIC), late = (now - begun) / period_ns;
        if (late > ++number) {
            pipes->missed += late - number;
            number = late;
        }
        over = rest_until(pipes, begun + due_ns(number, period_ns), while_asleep);
        now = now_ns(MONOTONIC);
        if (!over && now < slice_end) {
            if (now < pipes->unsettled_until_ns) pipes_scan(pipes, now);
            else if (processes_came(pipes)) watch_children(pipes);
            continue;
        }
        uint64_t slice_to = now_ns(REALTIME);
        print_slice(pipes, slice_from, slice_to);
        slice_from = slice_to;
        while (slice_end <= now) slice_end += slice_ns;
        bool restless = pipes->changed || pipes->follows_count > 0;
        if (!over && now - scanned >= (restless ? SCAN_NS : QUIET_SCAN_NS)) {
            pipes->changed = false;
            pipes_scan(pipes, now);
            scanned = now;
        }
        output_pump(&pipes->output);
        /* Of processes that ran before, all are gone. */
        over |= pids_given && pipes->guard == 0 && pipes->processes_count == 0;
    }
}

static void print_pipes_end(struct pipes *pipes)
{
    char line[128];
    snprintf(line, sizeof line, "#end slices=%" PRIu64 " missed=%" PRIu64 " cpu_ns=%" PRIu64, pipes->slices,
             pipes->missed, own_cpu_ns());
    output_line(&pipes->output, line);
}

static void catch_signals(sigset_t *while_asleep)
{
    struct sigaction action = {.sa_handler = note_end};
    sigset_t ends;
    sigemptyset(&ends);
    int signals[] = {SIGTERM, SIGINT, SIGHUP, SIGCHLD};
    enum { COUNT = sizeof signals / sizeof *signals };
    for (int i = 0; i < COUNT; i++) {
        sigaction(signals[i], &action, NULL);
        sigaddset(&ends, signals[i]);
    }
    sigprocmask(SIG_BLOCK, &ends, while_asleep);
    for (int i = 0; i < COUNT; i++) sigdelset(while_asleep, signals[i]);
}

/* Every thread of a watched process costs a descriptor. */
static void allow_many_files(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

static int run_pipes(struct arguments *arguments)
{
    static struct pipes pipes;
    static int pids[1024];
    enum { URGENT = 10, MOST_PIDS = sizeof pids / sizeof *pids };
    int pids_count = 0;
    double hz = 50, slice_s = 0.25;
    while (next_option(arguments)) {
        if (option_is(arguments, "hz")) hz = option_number(arguments, 0.1, 1000);
        else if (option_is(arguments, "slice")) slice_s = option_number(arguments, 0.01, 60);
        else if (option_is(arguments, "pid") && pids_count < MOST_PIDS)
            pids[pids_count++] = (int)option_count(arguments);
        else if (option_is(arguments, "joined")) pipes.joined = true;
        else refuse_option(arguments);
    }
    int words_count = arguments->count - arguments->next;
    sigset_t while_asleep;
    catch_signals(&while_asleep);
    prctl(PR_SET_TIMERSLACK, 1000ul, 0, 0, 0);
    if (!output_open(&pipes.output)) return fail("cannot get memory for the output (%s)", strerror(errno));
    pipes.proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    pipes.loadavg = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
    pipes.diag = open_diag();
    if (pipes.proc < 0) return fail("cannot read /proc (%s)", strerror(errno));

    /* A busy machine is where it must look on time. Who may not have that goes without. */
    int nice_before = getpriority(PRIO_PROCESS, 0);
    setpriority(PRIO_PROCESS, 0, nice_before - URGENT);

    struct utsname system;
    char line[256];
    uname(&system);
    snprintf(line, sizeof line, "#predict-pipes 1 host=%s clock=realtime hz=%g slice_s=%g cores=%ld pid=%d",
             system.nodename, hz, slice_s, sysconf(_SC_NPROCESSORS_ONLN), (int)getpid());
    output_line(&pipes.output, line);
    for (int i = 0; i < pids_count; i++)
        if (!watch_process(&pipes, pids[i], pipes.joined)) return fail("there is no process %d", pids[i]);
    int input = -1;
    if (words_count > 0) {
        input = start_command(&pipes, arguments->words + arguments->next, words_count, &while_asleep, nice_before);
        if (input < 0) return fail("no process could be started (%s)", strerror(errno));
    }
    allow_many_files();
    watch_until_end(&pipes, (uint64_t)llround(1e9 / hz), (uint64_t)llround(slice_s * 1e9), pids_count > 0,
                    &while_asleep);
    if (input >= 0) close(input);
    if (pipes.guard > 0) take_exit(&pipes, 0);
    print_pipes_end(&pipes);
    if (!output_finish(&pipes.output, 10))
        return fail("cannot write what it saw to stdout (%s); its reader went away or stands still", strerror(errno));
    return EXIT_DONE;
}
