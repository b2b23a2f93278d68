/* The lease's file: `deadline`, seconds of /proc/uptime (CLOCK_BOOTTIME) as a decimal number. */
#include "agent.h"
#include "files.h"
#include "keep.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* A century of uptime: more is no deadline. */
static const double absurd_seconds = 3.2e9;

void lease_read(int directory, struct lease *lease)
{
    if (lease->file >= 0) close(lease->file);
    *lease = (struct lease){.state = LEASE_GONE, .file = -1};
    if (faccessat(directory, "release.sh", F_OK, 0) != 0 && errno == ENOENT) return;
    lease->file = openat(directory, "deadline", O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (lease->file < 0 && errno == ENOENT) return;
    char text[128];
    double seconds;
    lease->state = LEASE_EXPIRED;
    lease->malformed = lease->file < 0 || read_again(lease->file, text, sizeof text) <= 0 ||
                       !parse_decimal(text, &seconds) || seconds > absurd_seconds;
    if (lease->malformed) return;
    lease->deadline_ns = (uint64_t)(seconds * 1e9);
    if (lease->deadline_ns > now_ns(BOOTTIME)) lease->state = LEASE_RUNNING;
}

static bool is_same_file(int directory, const char *name, int file)
{
    struct stat held, named;
    if (fstatat(directory, name, &named, 0) != 0) return false;
    return file < 0 || (fstat(file, &held) == 0 && held.st_ino == named.st_ino && held.st_dev == named.st_dev);
}

void lease_retire(int directory, const struct lease *lease)
{
    /* Moved aside before it is compared, since the controller may rename a new one in at any time. */
    if (renameat(directory, "deadline", directory, ".deadline.expired") != 0) return;
    if (is_same_file(directory, ".deadline.expired", lease->file)) unlinkat(directory, ".deadline.expired", 0);
    else if (renameat2(directory, ".deadline.expired", directory, "deadline", RENAME_NOREPLACE) != 0)
        unlinkat(directory, ".deadline.expired", 0); /* a still newer one has come */
}

pid_t keeper_pid(int directory)
{
    char text[32];
    if (read_small(directory, "keeper.pid", text, sizeof text) <= 0) return 0;
    pid_t pid = (pid_t)atol(text);
    return pid > 0 && (kill(pid, 0) == 0 || errno == EPERM) ? pid : 0;
}
