/* The keeper's loop: waits for the deadline (timerfd), a change of the state directory (inotify) or a signal, then
   reads the lease anew. */
#include "files.h"
#include "keep.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static bool write_pid(int directory)
{
    char text[32];
    snprintf(text, sizeof text, "%ld\n", (long)getpid());
    return replace_file(directory, "keeper.pid", text);
}

int keeper_prepare(int directory)
{
    char path[64];
    int notifications = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    snprintf(path, sizeof path, "/proc/self/fd/%d", directory);
    uint32_t changes =
        IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_CLOSE_WRITE | IN_DELETE | IN_DELETE_SELF | IN_ONLYDIR;
    if (notifications < 0 || inotify_add_watch(notifications, path, changes) < 0 || !write_pid(directory)) return -1;
    return notifications;
}

/* Takes keeper.pid away, then looks once more: a lease written before that is still ours, since
   its controller's `keep` may have seen keeper.pid and left; one written later finds no
   keeper.pid, and its `keep` waits for the lock. */
static bool may_end(int directory)
{
    struct lease last = {.file = -1};
    unlinkat(directory, "keeper.pid", 0);
    lease_read(directory, &last);
    if (last.file >= 0) close(last.file);
    return last.state == LEASE_GONE || !write_pid(directory);
}

static void drain(int fd)
{
    char events[8192];
    while (read(fd, events, sizeof events) > 0) continue;
}

void keeper_watch(int directory, int notifications, int signals)
{
    struct lease lease = {.file = -1};
    bool told_to_end = false;
    int timer = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
    for (;;) {
        drain(notifications); /* before the read, so that no later change goes unseen */
        lease_read(directory, &lease);
        if (lease.state == LEASE_GONE) {
            if (told_to_end || may_end(directory)) break;
            continue;
        }
        if (lease.state == LEASE_EXPIRED || told_to_end || timer < 0) {
            const char *why = told_to_end       ? "the keeper was told to end"
                              : lease.malformed ? "the deadline cannot be understood"
                                                : "the lease ran out";
            if (!release_link(directory, why)) break;
            lease_retire(directory, &lease);
            if (told_to_end) break;
            continue;
        }
        struct itimerspec at = {
            .it_value = {(time_t)(lease.deadline_ns / 1000000000u), (long)(lease.deadline_ns % 1000000000u)}};
        timerfd_settime(timer, TFD_TIMER_ABSTIME, &at, NULL);
        struct pollfd watched[] = {{.fd = timer, .events = POLLIN},
                                   {.fd = notifications, .events = POLLIN},
                                   {.fd = signals, .events = POLLIN}};
        poll(watched, 3, -1);
        struct signalfd_siginfo received;
        while (read(signals, &received, sizeof received) > 0)
            if (received.ssi_signo != SIGCHLD) told_to_end = true;
    }
    unlinkat(directory, "keeper.pid", 0);
}
