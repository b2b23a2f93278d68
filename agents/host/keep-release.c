/* Restores the link: marks the lease expired first, so that a controller cannot take later figures for throttled ones,
   then runs release.sh, bounded in time and number, each attempt in a process group of its own. */
#include "files.h"
#include "keep.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ATTEMPTS = 30, ATTEMPT_SECONDS = 20 };

static void write_log(int log, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void write_log(int log, const char *format, ...)
{
    if (log < 0) return;
    va_list values;
    va_start(values, format);
    dprintf(log, "[uptime %.3f s] ", (double)now_ns(BOOTTIME) / 1e9);
    vdprintf(log, format, values);
    dprintf(log, "\n");
    va_end(values);
}

/* "UPTIME_SECONDS REALTIME_NS": when the keeper began to restore the link. */
static bool mark_expired(int directory)
{
    char text[96];
    snprintf(text, sizeof text, "%.3f %" PRIu64 "\n", (double)now_ns(BOOTTIME) / 1e9, now_ns(REALTIME));
    return replace_file(directory, "expired", text);
}

static _Noreturn void run_script(int directory, int log)
{
    static char *const words[] = {"/bin/sh", "release.sh", NULL};
    static char *const environment[] = {"PATH=/usr/sbin:/usr/bin:/sbin:/bin", NULL};
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    setpgid(0, 0);
    if (fchdir(directory) != 0) _exit(126);
    if (log >= 0) {
        dup2(log, 1);
        dup2(log, 2);
    }
    execve(words[0], words, environment);
    _exit(127);
}

/* The wait status of the script, which is ended after ATTEMPT_SECONDS; -1 when it cannot start.
   SIGCHLD is blocked by the caller, so that sigtimedwait sees it. */
static int run_bounded(int directory, int log)
{
    pid_t script = fork();
    if (script < 0) return -1;
    if (script == 0) run_script(directory, log);
    setpgid(script, script);
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    uint64_t deadline = now_ns(BOOTTIME) + ATTEMPT_SECONDS * UINT64_C(1000000000);
    int status;
    while (waitpid(script, &status, WNOHANG) == 0) {
        uint64_t now = now_ns(BOOTTIME), left = deadline > now ? deadline - now : 0;
        if (left == 0) kill(-script, SIGKILL);
        struct timespec timeout = {(time_t)(left / 1000000000u), (long)(left ? left % 1000000000u : 50000000)};
        sigtimedwait(&child, NULL, &timeout);
    }
    return status;
}

bool release_link(int directory, const char *why)
{
    int log = openat(directory, "release.log", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    /* First the mark: whoever finds the link restored must be able to see why. */
    bool marked = mark_expired(directory);
    write_log(log, "%s: running release.sh", why);
    if (!marked) write_log(log, "cannot write the mark \"expired\" (%s); releasing all the same", strerror(errno));
    bool released = false;
    for (int attempt = 1; !released && attempt <= ATTEMPTS; attempt++) {
        if (attempt > 1) sleep(1);
        struct lease lease = {.file = -1};
        lease_read(directory, &lease);
        if (lease.file >= 0) close(lease.file);
        if (lease.state == LEASE_GONE) {
            write_log(log, "the controller has removed the lease; nothing more to do");
            released = true;
            break;
        }
        int status = run_bounded(directory, log);
        released = status == 0;
        if (status >= 0 && WIFEXITED(status))
            write_log(log, "attempt %d of %d: release.sh ended with exit code %d", attempt, ATTEMPTS,
                      WEXITSTATUS(status));
        else if (status >= 0)
            write_log(log, "attempt %d of %d: release.sh was ended by signal %d", attempt, ATTEMPTS, WTERMSIG(status));
        else write_log(log, "attempt %d of %d: cannot start /bin/sh (%s)", attempt, ATTEMPTS, strerror(errno));
    }
    if (!released)
        write_log(log, "the link may still be throttled: run release.sh by hand; the deadline is left in place");
    if (log >= 0) close(log);
    return released;
}
