/* `guard`: one loop over signals and stdin; the end of stdin means that the controller is gone. It adopts what the
   command leaves behind (PR_SET_CHILD_SUBREAPER), in whatever process group, so that all of it can be ended. */
#include "agent.h"
#include "files.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int run_guard(struct arguments *arguments);

const struct command guard_command = {
    .name = "guard",
    .summary = "run a command that may not outlive its controller",
    .help = "predict-agent guard [--grace 3] [--detached] -- COMMAND [ARGUMENT]...\n"
            "Runs COMMAND in a process group of its own with an empty input. When stdin ends (the\n"
            "controller or its connection is gone) or SIGTERM, SIGINT or SIGHUP comes, the group gets\n"
            "SIGTERM, and all processes that COMMAND started get SIGKILL after --grace seconds, or when\n"
            "it has ended. The controller waits longer (5 s) before it kills the guard itself; COMMAND\n"
            "then gets SIGTERM from the kernel. Exits with COMMAND's code, 128 + N if signal N ended\n"
            "it, 127 if it could not be started. With --detached a COMMAND that ends with 0 may leave\n"
            "processes in the background (a daemon): \"detached\" is said, and the guard stays until they\n"
            "have ended, and tells them too when they are to end.\n\n"
            "Example: predict-agent guard -- mpirun -np 4 hostname\n",
    .run = run_guard,
};

enum { EXIT_NOT_STARTED = 127, EXIT_BY_SIGNAL = 128, SWEEPS = 100, SWEEP_NS = 10000000 };

static pid_t start(char **words, const sigset_t *signals)
{
    pid_t guard = getpid();
    pid_t child = fork();
    if (child != 0) return child;
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != guard) _exit(EXIT_NOT_STARTED); /* the guard has died already */
    sigprocmask(SIG_UNBLOCK, signals, NULL);
    signal(SIGPIPE, SIG_DFL);
    int empty = open("/dev/null", O_RDONLY);
    if (empty >= 0) dup2(empty, 0);
    execvp(words[0], words);
    fprintf(stderr, "predict-agent guard: %s cannot be started: %s\n", words[0], strerror(errno));
    _exit(EXIT_NOT_STARTED);
}

static int exit_code(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_BY_SIGNAL + WTERMSIG(status); }

/* The parent of a process, as /proc/PID/stat has it behind the name, which may contain anything; 0 if it is gone. */
static pid_t parent_of(const char *pid)
{
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return 0;
    ssize_t length = read(fd, text, sizeof text - 1);
    close(fd);
    if (length <= 0) return 0;
    text[length] = '\0';
    const char *end = strrchr(text, ')');
    int parent = 0;
    return end && sscanf(end + 1, " %*c %d", &parent) == 1 ? parent : 0;
}

/* Sends a signal to all children; those of a killed child become ours. */
static void signal_children(int number)
{
    DIR *all = opendir("/proc");
    if (!all) return;
    for (struct dirent *entry; (entry = readdir(all));)
        if (isdigit((unsigned char)entry->d_name[0]) && parent_of(entry->d_name) == getpid())
            kill((pid_t)strtol(entry->d_name, NULL, 10), number);
    closedir(all);
}

/* Ends everything that the command started and that is still there, within a second. */
static void end_descendants(void)
{
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        pid_t reaped;
        while ((reaped = waitpid(-1, NULL, WNOHANG)) > 0) continue;
        if (reaped < 0 && errno == ECHILD) return;
        signal_children(SIGKILL);
        nanosleep(&(struct timespec){.tv_nsec = SWEEP_NS}, NULL);
    }
}

/* True once stdin has ended. */
static bool input_ended(void)
{
    char discarded[4096];
    ssize_t length = read(0, discarded, sizeof discarded);
    return length == 0 || (length < 0 && errno != EINTR && errno != EAGAIN);
}

/* Milliseconds until a moment on the monotonic clock, for poll. */
static int until(uint64_t moment)
{
    uint64_t now = now_ns(MONOTONIC);
    return moment <= now ? 0 : (int)((moment - now) / 1000000u + 1);
}

/* Takes leave of every child that has ended; true if the command was among them. */
static bool command_ended(pid_t command, int *status)
{
    int each;
    pid_t reaped;
    bool found = false;
    while ((reaped = waitpid(-1, &each, WNOHANG)) > 0) {
        if (reaped != command) continue;
        *status = each;
        found = true;
    }
    return found;
}

/* Whether a process is left of what the command started. */
static bool has_children(void)
{
    siginfo_t info;
    return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD;
}

static int attend(pid_t child, int signals, double grace, bool may_detach)
{
    bool detached = false;
    struct pollfd watched[] = {{.fd = signals, .events = POLLIN}, {.fd = 0, .events = POLLIN}};
    uint64_t deadline = 0; /* 0 until the command is to stop */
    for (;;) {
        if (poll(watched, 2, deadline ? until(deadline) : -1) < 0 && errno != EINTR)
            return fail("waiting failed: %s", strerror(errno));
        bool stop = watched[1].revents && input_ended();
        struct signalfd_siginfo info;
        if (watched[0].revents && read(signals, &info, sizeof info) == (ssize_t)sizeof info)
            stop |= info.ssi_signo != SIGCHLD;
        int status = 0;
        bool ended = command_ended(child, &status);
        if (ended && may_detach && !deadline && !stop && status == 0 && has_children()) {
            detached = true;
            printf("detached\n");
            fflush(stdout);
        } else if (detached && !has_children()) {
            return EXIT_DONE;
        } else if (ended) {
            kill(-child, SIGKILL);
            end_descendants();
            return exit_code(status);
        }
        if (stop && !deadline) {
            deadline = now_ns(MONOTONIC) + (uint64_t)(grace * 1e9);
            watched[1].fd = -1;
            kill(-child, SIGTERM);
            if (detached) signal_children(SIGTERM);
        } else if (deadline && !until(deadline)) {
            signal_children(SIGKILL);
            deadline += 100000000u;
        }
    }
}

static int run_guard(struct arguments *arguments)
{
    double grace = 3;
    bool may_detach = false;
    while (next_option(arguments)) {
        if (option_is(arguments, "grace")) grace = option_number(arguments, 0, 600);
        else if (option_is(arguments, "detached")) may_detach = true;
        else refuse_option(arguments);
    }
    if (arguments->next >= arguments->count) return misuse("there is no command to run; give it after --");
    sigset_t signals;
    sigemptyset(&signals);
    for (const int *each = (const int[]){SIGCHLD, SIGTERM, SIGINT, SIGHUP, 0}; *each; each++)
        sigaddset(&signals, *each);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    int queue = signalfd(-1, &signals, SFD_CLOEXEC);
    if (queue < 0) return fail("no signal descriptor: %s", strerror(errno));
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    pid_t child = start(arguments->words + arguments->next, &signals);
    if (child < 0) return fail("no process could be started: %s", strerror(errno));
    setpgid(child, child);
    return attend(child, queue, grace, may_detach);
}
