/* `keep`: starts the two keepers of a link's lease as processes of their own; `link` runs it. */
#include "agent.h"
#include "link.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int run_keep(struct arguments *arguments);

const struct command keep_command = {
    .name = "keep",
    .summary = "restore a throttled link when its lease runs out (started by link)",
    .help = "predict-agent keep --interface IF\n"
            "Starts two watchdogs of the lease in " RUN_FOLDER "/throttle-IF, which watch it and each other, and\n"
            "returns once both do. At the deadline they leave the mark `expired` there and restore the link\n"
            "(log: release.log), again and again until it is free. A renewed deadline is followed; without\n"
            "one they end. If one of them dies, the other starts another. SIGTERM restores the link at once.\n\n"
            "Example: predict-agent keep --interface eth0\n",
    .run = run_keep,
};

static void detach(void)
{
    int null = open("/dev/null", O_RDWR);
    for (int fd = 0; fd < 3; fd++) dup2(null, fd);
    if (null > 2) close(null);
    if (chdir("/") != 0) _exit(EXIT_FAILED);
    umask(022);
    signal(SIGHUP, SIG_IGN);
    /* Where memory runs out, what the keepers protect matters more than the little that they use. */
    int score = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (score >= 0 && write(score, "-1000", 5) != 5) errno = 0;
    if (score >= 0) close(score);
}

/* Files that the caller left open, such as an SSH session's, must not be held by the keepers. */
static void close_inherited(void)
{
    if (syscall(SYS_close_range, 3u, ~0u, 0u) == 0) return;
    for (int fd = 3; fd < 1024; fd++) close(fd);
}

static int run_keep(struct arguments *arguments)
{
    const char *interface = NULL;
    while (next_option(arguments)) {
        if (option_is(arguments, "interface")) interface = option_text(arguments);
        else refuse_option(arguments);
    }
    expect_end(arguments);
    if (!interface || !is_interface_name(interface)) return misuse("give --interface IF, the name of an interface");
    close_inherited();
    struct state state;
    char problem[PROBLEM];
    if (!open_state(&state, interface, false, problem)) return fail("%s", problem);
    uint64_t deadline;
    if (state.folder < 0 || read_lease(state.folder, &deadline) == LEASE_GONE)
        return fail("there is no lease on %s; predict-agent link set makes one", interface);

    int report[2];
    if (pipe2(report, O_CLOEXEC) != 0) return fail("cannot make a pipe (%s)", strerror(errno));
    pid_t middle = fork();
    if (middle < 0) return fail("cannot fork the watchdog (%s); check the limit on processes", strerror(errno));
    if (middle == 0) {
        close(report[0]);
        setsid();
        pid_t first = fork(); /* no session leader, so that no terminal can become its own */
        if (first != 0) _exit(first < 0);
        detach();
        struct keeper *keeper = keeper_begin(interface, state.folder);
        if (!keeper) _exit(EXIT_FAILED);
        keeper_watch(keeper, report[1]);
    }
    close(report[1]);
    char word = 0;
    while (read(report[0], &word, 1) < 0 && errno == EINTR) continue;
    while (waitpid(middle, NULL, 0) < 0 && errno == EINTR) continue;
    if (word == 'k') return EXIT_DONE;
    return fail("the watchdogs of %s could not start; check the limits on processes and open files", interface);
}
