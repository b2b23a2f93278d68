/* A keeper's loop. Two equal keepers are joined by a pair of sockets: when one dies, the kernel closes its end, and the
   other forks a new twin. Both watch the deadline (timerfd), changes of the state folder (inotify) and signals; whoever
   gets the folder's lock first restores the link, and the other finds that there is nothing left to do. */
#include "files.h"
#include "link.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOCK_WAIT_MS = 5000, TWIN_WAIT_MS = 5000, LONGEST_PAUSE_S = 10, LOGGED_ATTEMPTS = 30 };

static const uint64_t second_ns = 1000000000u;

struct keeper {
    struct state state;
    int mark; /* `keeper`, read-locked */
    int notifications, timer, signals;
    int twin;    /* the socket whose other end the twin holds; -1 without one */
    pid_t child; /* the twin's, where this keeper forked it; else 0 */
    uint64_t twin_due_ns, release_due_ns;
    unsigned attempts;
    bool told_to_end;
};

/* Opens what a keeper may not share with its twin. */
static bool open_own(struct keeper *keeper)
{
    char path[64];
    sigset_t watched;
    sigemptyset(&watched);
    sigaddset(&watched, SIGTERM);
    sigaddset(&watched, SIGINT);
    sigprocmask(SIG_BLOCK, &watched, NULL);
    struct flock read_lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
    keeper->mark = openat(keeper->state.folder, "keeper", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    keeper->notifications = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    keeper->timer = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
    keeper->signals = signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK);
    snprintf(path, sizeof path, "/proc/self/fd/%d", keeper->state.folder);
    /* A user may have few inotify instances: without one the keeper looks every second. */
    if (keeper->notifications >= 0 &&
        inotify_add_watch(keeper->notifications, path, IN_MOVED_TO | IN_DELETE | IN_DELETE_SELF | IN_ONLYDIR) < 0) {
        close(keeper->notifications);
        keeper->notifications = -1;
    }
    return keeper->timer >= 0 && keeper->signals >= 0 && keeper->mark >= 0 &&
           fcntl(keeper->mark, F_OFD_SETLK, &read_lock) == 0;
}

static void close_own(const struct keeper *keeper)
{
    close(keeper->mark);
    if (keeper->notifications >= 0) close(keeper->notifications);
    close(keeper->timer);
    close(keeper->signals);
    if (keeper->twin >= 0) close(keeper->twin);
}

/* Forks the twin and waits until it watches. The twin returns from here as well, as an equal. */
static void start_twin(struct keeper *keeper, int report)
{
    int ends[2];
    keeper->twin_due_ns = now_ns(BOOTTIME) + second_ns / 10;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return;
    pid_t twin = fork();
    if (twin == 0) {
        if (report >= 0) close(report);
        close_own(keeper);
        close(ends[0]);
        keeper->twin = ends[1];
        keeper->child = 0;
        if (!open_own(keeper)) _exit(1);
        /* Who forked it may be dead by now; then the loop sees that. */
        send(ends[1], "w", 1, MSG_NOSIGNAL);
        return;
    }
    close(ends[1]);
    struct pollfd watched = {.fd = ends[0], .events = POLLIN};
    char word;
    if (twin > 0 && poll(&watched, 1, TWIN_WAIT_MS) > 0 && recv(ends[0], &word, 1, 0) == 1) {
        keeper->twin = ends[0];
        keeper->child = twin;
        return;
    }
    close(ends[0]);
    if (twin <= 0) return;
    kill(twin, SIGKILL);
    waitpid(twin, NULL, 0);
}

/* Restores the link, unless somebody else does or the lease was renewed or ended meanwhile. */
static void restore(struct keeper *keeper, const char *why)
{
    char problem[PROBLEM] = "";
    uint64_t deadline;
    int lock = lock_folder(keeper->state.folder, LOCK_WAIT_MS, false);
    /* Who holds on to the lock for so long is stopped or hangs: the link comes first. */
    if (lock < 0 && errno == ENOENT) return;
    enum lease lease = read_lease(keeper->state.folder, &deadline);
    if (lease == LEASE_EXPIRED || (lease == LEASE_RUNNING && keeper->told_to_end)) {
        keeper->attempts++;
        keeper->state.lock = lock;
        bool released = restore_expired(&keeper->state, problem);
        /* Whoever holds on to the lock may put more on the link: then this lease ends once the lock is to be had. */
        bool ended = released && lock >= 0;
        if (keeper->attempts <= LOGGED_ATTEMPTS)
            log_release(keeper->state.folder, "%s: %s%s", why,
                        ended      ? "the link is restored"
                        : released ? "the link is restored, while another command is at work on it"
                                   : "the link cannot be restored: ",
                        problem);
        unsigned pause_s = keeper->attempts < LONGEST_PAUSE_S ? keeper->attempts : LONGEST_PAUSE_S;
        keeper->release_due_ns = now_ns(BOOTTIME) + pause_s * second_ns;
        if (ended) keeper->attempts = 0;
    }
    keeper->state.lock = -1;
    if (lock >= 0) close(lock);
}

/* Ends this keeper if the lease is gone: decided under the lock, because a command that sets a lease looks for keepers
   under it. */
static void end_if_gone(struct keeper *keeper)
{
    uint64_t deadline;
    int lock = lock_folder(keeper->state.folder, LOCK_WAIT_MS, false);
    if (lock < 0 && errno != ENOENT) return;
    if (lock >= 0 && read_lease(keeper->state.folder, &deadline) != LEASE_GONE) {
        close(lock);
        return;
    }
    close(keeper->mark);
    _exit(0);
}

static void wait_for_news(struct keeper *keeper, uint64_t due_ns)
{
    struct itimerspec at = {.it_value = {(time_t)(due_ns / second_ns), (long)(due_ns % second_ns)}};
    timerfd_settime(keeper->timer, TFD_TIMER_ABSTIME, &at, NULL);
    struct pollfd watched[] = {{.fd = keeper->timer, .events = POLLIN},
                               {.fd = keeper->notifications, .events = POLLIN},
                               {.fd = keeper->signals, .events = POLLIN},
                               {.fd = keeper->twin, .events = POLLIN}};
    poll(watched, 4, -1);
    char events[8192];
    struct signalfd_siginfo received;
    while (read(keeper->signals, &received, sizeof received) > 0) keeper->told_to_end = true;
    while (keeper->notifications >= 0 && read(keeper->notifications, events, sizeof events) > 0) continue;
    if (keeper->twin < 0 || !watched[3].revents) return;
    close(keeper->twin);
    keeper->twin = -1;
    if (keeper->child > 0) waitpid(keeper->child, NULL, 0);
}

struct keeper *keeper_begin(const char *interface, int folder)
{
    struct keeper *keeper = calloc(1, sizeof *keeper);
    if (!keeper) return NULL;
    keeper->state = (struct state){.folder = folder, .lock = -1};
    snprintf(keeper->state.interface, sizeof keeper->state.interface, "%s", interface);
    keeper->twin = -1;
    if (open_own(keeper)) return keeper;
    free(keeper);
    return NULL;
}

void keeper_watch(struct keeper *keeper, int report)
{
    for (;;) {
        uint64_t deadline, now = now_ns(BOOTTIME);
        enum lease lease = read_lease(keeper->state.folder, &deadline);
        if (lease == LEASE_GONE) {
            end_if_gone(keeper);
            continue;
        }
        if (keeper->twin < 0 && now >= keeper->twin_due_ns) {
            pid_t self = getpid();
            start_twin(keeper, report);
            if (getpid() != self) report = -1;
            if (report >= 0 && (keeper->twin < 0 || write(report, "k", 1) != 1)) _exit(1);
            if (report >= 0) close(report);
            report = -1;
            continue;
        }
        bool expired = lease == LEASE_EXPIRED || keeper->told_to_end;
        if (expired && now >= keeper->release_due_ns) {
            const char *why = keeper->told_to_end ? "the watchdog was asked to end"
                              : deadline == 0     ? "the deadline cannot be understood"
                                                  : "the lease ran out";
            restore(keeper, why);
            continue;
        }
        uint64_t due = expired ? keeper->release_due_ns : deadline;
        if (keeper->twin < 0 && keeper->twin_due_ns < due) due = keeper->twin_due_ns;
        if (keeper->notifications < 0 && now + second_ns < due) due = now + second_ns;
        wait_for_news(keeper, due);
    }
}
