/* `keep`: starts the keeper as a process of its own, once per state directory (keeper.lock), and tells its state. */
#include "agent.h"
#include "files.h"
#include "json.h"
#include "keep.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int run_keep(struct arguments *arguments);

const struct command keep_command = {
    .name = "keep",
    .summary = "restore the throttled link when its lease runs out (dead-man's switch)",
    .help = "predict-agent keep --state DIR | keep --status DIR\n"
            "The controller first writes DIR/release.sh and DIR/deadline (seconds of /proc/uptime),\n"
            "each by rename. keep detaches, returns once it watches, and at the deadline writes\n"
            "DIR/expired (\"UPTIME_S REALTIME_NS\"), runs release.sh (log: DIR/release.log) until it\n"
            "succeeds (30 times at most) and removes the deadline. A renewed deadline is followed;\n"
            "it ends when deadline or release.sh is removed. One that cannot be understood counts as\n"
            "expired, and SIGTERM releases at once. A second keeper for DIR exits 0, saying so.\n"
            "--status prints {\"running\", \"pid\", \"deadlineInS\", \"expired\"}.\n\n"
            "Example: predict-agent keep --state /run/predict/lease-eth0\n",
    .run = run_keep,
};

enum { LOCK_WAIT_MS = 60000, LOCK_RETRY_MS = 20 };

/* True when this process is the one keeper; else *other is the one that is (0: the lock failed).
   A holder whose keeper.pid is not there is starting or about to end: it is waited for. */
static bool become_the_keeper(int directory, pid_t *other)
{
    *other = 0;
    int lock = openat(directory, "keeper.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    for (int waited = 0; lock >= 0 && waited < LOCK_WAIT_MS; waited += LOCK_RETRY_MS) {
        if (flock(lock, LOCK_EX | LOCK_NB) == 0) return true;
        if (errno != EWOULDBLOCK && errno != EINTR) return false;
        *other = keeper_pid(directory);
        if (*other) return false;
        usleep(LOCK_RETRY_MS * 1000);
    }
    return false;
}

static void detach_files(void)
{
    int null = open("/dev/null", O_RDWR);
    for (int fd = 0; fd < 3; fd++) dup2(null, fd);
    if (null > 2) close(null);
    if (chdir("/") != 0) _exit(EXIT_FAILED);
    umask(022);
}

/* The keeper itself. `report` gets one sentence for the caller, after its first letter:
   'k' keeping, 'o' another keeps, 'f' failed. */
static _Noreturn void keep(int directory, int report)
{
    pid_t other;
    signal(SIGHUP, SIG_IGN);
    if (!become_the_keeper(directory, &other)) {
        if (other) dprintf(report, "oa keeper with pid %ld keeps this lease already; one is enough", (long)other);
        else dprintf(report, "fcannot lock keeper.lock (%s); check the state directory", strerror(errno));
        _exit(0);
    }
    sigset_t watched;
    sigemptyset(&watched);
    sigaddset(&watched, SIGTERM);
    sigaddset(&watched, SIGINT);
    sigaddset(&watched, SIGCHLD);
    sigprocmask(SIG_BLOCK, &watched, NULL);
    int signals = signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK);
    int notifications = keeper_prepare(directory);
    if (notifications < 0 || signals < 0) {
        dprintf(report, "fcannot watch the state directory (%s); check its disk and inotify's limits", strerror(errno));
        _exit(0);
    }
    detach_files();
    dprintf(report, "kkeeping with pid %ld", (long)getpid());
    close(report);
    keeper_watch(directory, notifications, signals);
    _exit(0);
}

/* Files that the caller left open, such as an SSH session's, must not be held by the keeper. */
static void close_inherited(void)
{
    if (syscall(SYS_close_range, 3u, ~0u, 0u) == 0) return;
    for (int fd = 3; fd < 1024; fd++) close(fd);
}

static int start_keeper(const char *path)
{
    close_inherited();
    int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0) return fail("cannot open the state directory %s (%s); make it first", path, strerror(errno));
    struct lease lease = {.file = -1};
    lease_read(directory, &lease);
    if (lease.state == LEASE_GONE)
        return fail("there is no lease in %s; write its release.sh and its deadline first", path);
    close(lease.file);

    int report[2];
    if (pipe2(report, O_CLOEXEC) != 0) return fail("cannot make a pipe (%s)", strerror(errno));
    pid_t middle = fork();
    if (middle < 0) return fail("cannot fork the keeper (%s); check the limit on processes", strerror(errno));
    if (middle == 0) {
        setsid();
        pid_t keeper = fork(); /* no session leader, so that no terminal can become its own */
        if (keeper == 0) keep(directory, report[1]);
        if (keeper < 0) dprintf(report[1], "fcannot fork the keeper (%s)", strerror(errno));
        _exit(0);
    }
    close(report[1]);
    char text[256] = "";
    size_t used = 0;
    for (ssize_t length; (length = read(report[0], text + used, sizeof text - 1 - used)) != 0;) {
        if (length > 0) used += (size_t)length;
        else if (errno != EINTR) break;
    }
    while (waitpid(middle, NULL, 0) < 0 && errno == EINTR) continue;
    if (text[0] != 'k' && text[0] != 'o')
        return fail("%s: %s", path, text[0] ? text + 1 : "the keeper ended without a word; look at release.log there");
    printf("%s: %s\n", path, text + 1);
    return EXIT_DONE;
}

static int print_status(const char *path)
{
    int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0 && errno != ENOENT) return fail("cannot open the state directory %s (%s)", path, strerror(errno));
    /* A shared lock shows whether the exclusive one is taken; keepers that start now try again. */
    int lock = directory < 0 ? -1 : openat(directory, "keeper.lock", O_RDONLY | O_CLOEXEC);
    bool running = lock >= 0 && flock(lock, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (lock >= 0) close(lock);
    struct lease lease = {.file = -1};
    if (directory >= 0) lease_read(directory, &lease);
    pid_t pid = running ? keeper_pid(directory) : 0;
    struct json json = {.out = stdout};
    json_open(&json, NULL, '{');
    json_flag(&json, "running", running);
    if (pid) json_count(&json, "pid", (uint64_t)pid);
    else json_null(&json, "pid");
    if (lease.state == LEASE_GONE || lease.malformed) json_null(&json, "deadlineInS");
    else json_number(&json, "deadlineInS", ((double)lease.deadline_ns - (double)now_ns(BOOTTIME)) / 1e9);
    json_flag(&json, "expired", directory >= 0 && faccessat(directory, "expired", F_OK, 0) == 0);
    json_close(&json, '}');
    if (!json_end(&json)) return fail("cannot write the status to stdout (%s)", strerror(errno));
    return EXIT_DONE;
}

static int run_keep(struct arguments *arguments)
{
    const char *state = NULL, *status = NULL;
    while (next_option(arguments)) {
        if (option_is(arguments, "state")) state = option_text(arguments);
        else if (option_is(arguments, "status")) status = option_text(arguments);
        else refuse_option(arguments);
    }
    expect_end(arguments);
    if (!state == !status) return misuse("give either --state DIR or --status DIR");
    return state ? start_keeper(state) : print_status(status);
}
