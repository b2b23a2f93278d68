/* `guard`: one loop over signals and stdin; the end of stdin means that the controller is gone. */
#include "agent.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

static int run_guard(struct arguments *arguments);

const struct command guard_command = {
    .name = "guard",
    .summary = "run a command that may not outlive its controller",
    .help = "predict-agent guard [--grace 5] -- COMMAND [ARGUMENT]...\n"
            "Runs COMMAND in a process group of its own with an empty input. When stdin ends (the\n"
            "controller or its connection is gone) or SIGTERM, SIGINT or SIGHUP comes, the group gets\n"
            "SIGTERM, and SIGKILL after --grace seconds. Exits with COMMAND's code, 128 + N if signal N\n"
            "ended it, 127 if it could not be started.\n\n"
            "Example: predict-agent guard -- mpirun -np 4 hostname\n",
    .run = run_guard,
};

enum { EXIT_NOT_STARTED = 127, EXIT_BY_SIGNAL = 128 };

static pid_t start(char **words, const sigset_t *signals)
{
    pid_t child = fork();
    if (child != 0) return child;
    setpgid(0, 0);
    sigprocmask(SIG_UNBLOCK, signals, NULL);
    signal(SIGPIPE, SIG_DFL);
    int empty = open("/dev/null", O_RDONLY);
    if (empty >= 0) dup2(empty, 0);
    execvp(words[0], words);
    fprintf(stderr, "predict-agent guard: %s cannot be started: %s\n", words[0], strerror(errno));
    _exit(EXIT_NOT_STARTED);
}

static int exit_code(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_BY_SIGNAL + WTERMSIG(status); }

/* True once stdin has ended. */
static bool input_ended(void)
{
    char discarded[4096];
    ssize_t length = read(0, discarded, sizeof discarded);
    return length == 0 || (length < 0 && errno != EINTR && errno != EAGAIN);
}

static int attend(pid_t child, int signals, double grace)
{
    struct pollfd watched[] = {{.fd = signals, .events = POLLIN}, {.fd = 0, .events = POLLIN}};
    bool stopping = false;
    for (;;) {
        int ready = poll(watched, 2, stopping ? (int)(grace * 1000) : -1);
        if (ready < 0 && errno != EINTR) return fail("waiting failed: %s", strerror(errno));
        if (ready == 0) {
            kill(-child, SIGKILL);
            grace = 1;
            continue;
        }
        bool stop = watched[1].revents && input_ended();
        if (watched[0].revents) {
            struct signalfd_siginfo info;
            if (read(signals, &info, sizeof info) != (ssize_t)sizeof info) continue;
            if (info.ssi_signo != SIGCHLD) stop = true;
            int status;
            if (waitpid(child, &status, WNOHANG) == child) {
                kill(-child, SIGKILL); /* what the command left of its group */
                return exit_code(status);
            }
        }
        if (stop && !stopping) {
            stopping = true;
            watched[1].fd = -1;
            kill(-child, SIGTERM);
        }
    }
}

static int run_guard(struct arguments *arguments)
{
    double grace = 5;
    while (next_option(arguments)) {
        if (option_is(arguments, "grace")) grace = option_number(arguments, 0, 600);
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
    pid_t child = start(arguments->words + arguments->next, &signals);
    if (child < 0) return fail("no process could be started: %s", strerror(errno));
    setpgid(child, child);
    return attend(child, queue, grace);
}
