/* What happens when a lease is over, whoever sees it first: a keeper, systemd's timer or a renewal. */
#include "files.h"
#include "link.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

enum { LOCK_WAIT_MS = 5000 };

void log_release(int folder, const char *format, ...)
{
    int log = openat(folder, "release.log", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (log < 0) return;
    va_list values;
    va_start(values, format);
    dprintf(log, "[uptime %.3f s] pid %ld: ", (double)now_ns(BOOTTIME) / 1e9, (long)getpid());
    vdprintf(log, format, values);
    dprintf(log, "\n");
    va_end(values);
    close(log);
}

bool restore_expired(const struct state *state, char problem[PROBLEM])
{
    problem[0] = '\0';
    /* First the mark: whoever finds the link restored must be able to see why. */
    if (!mark_expired(state->folder)) log_release(state->folder, "cannot write the mark: %s", strerror(errno));
    if (!release_link(state, problem)) return false;
    if (state->lock >= 0) unlinkat(state->folder, "deadline", 0);
    return true;
}

/* The lease as it is once its lock is held, or could not be had. */
static bool judge_lease(struct state *state, char problem[PROBLEM])
{
    uint64_t deadline;
    switch (read_lease(state->folder, &deadline)) {
    case LEASE_GONE: return true;
    case LEASE_RUNNING: return ensure_timer(state, problem);
    case LEASE_EXPIRED: break;
    }
    bool free = restore_expired(state, problem);
    log_release(state->folder, "systemd's timer: %s%s",
                free ? "the link is restored" : "the link cannot be restored: ", problem);
    if (!free || state->lock >= 0) return free;
    /* Whoever holds on to the lock may put more on the link: systemd starts this again. */
    snprintf(problem, PROBLEM, "the link is free, but another command is at work on %s", state->interface);
    return false;
}

bool expire_link(const char *interface, char problem[PROBLEM])
{
    struct state state;
    if (!open_state(&state, interface, false, problem)) return false;
    if (state.folder < 0) return true;
    /* Who holds on to the lock for so long is stopped or hangs: the link comes first. */
    state.lock = lock_folder(state.folder, LOCK_WAIT_MS, false);
    bool done = (state.lock < 0 && errno == ENOENT) || judge_lease(&state, problem);
    close_state(&state);
    return done;
}
