/* `hold`: an flock(2), which the kernel releases however this process ends, and the owner's name in the file. */
#include "agent.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

static int run_hold(struct arguments *arguments);

const struct command hold_command = {
    .name = "hold",
    .summary = "hold a lock file for as long as stdin stays open",
    .help = "predict-agent hold --lock FILE --owner TEXT\n"
            "Locks FILE (flock, exclusive), writes TEXT into it, prints \"held\" and stays until\n"
            "stdin ends or SIGTERM, SIGINT or SIGHUP comes; then empties and unlocks FILE.\n"
            "If somebody else holds it: says who on stderr and exits with 3.\n\n"
            "Example: predict-agent hold --lock /tmp/predict.lock --owner 'anna@head, sweep 12'\n",
    .run = run_hold,
};

/* Opened without O_CREAT first: in sticky directories Linux refuses O_CREAT on others' files. */
static int open_lock(const char *path)
{
    for (int attempt = 0; attempt < 10; attempt++) {
        int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
        if (fd >= 0 || errno != ENOENT) return fd;
        fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_CREAT | O_EXCL, 0666);
        if (fd >= 0) {
            fchmod(fd, 0666); /* other users of the host must be able to hold it next */
            return fd;
        }
        if (errno != EEXIST) return -1;
    }
    return -1;
}

static int report_owner(int fd, const char *path)
{
    char owner[512] = "";
    /* The holder may have locked it and not yet written its name. */
    for (int attempt = 0; attempt < 10 && owner[0] == '\0'; attempt++) {
        if (attempt) usleep(10000);
        ssize_t length = pread(fd, owner, sizeof owner - 1, 0);
        owner[length > 0 ? length : 0] = '\0';
    }
    for (char *at = owner; *at; at++)
        if ((unsigned char)*at < 0x20 || *at == 0x7f) *at = at[1] ? ' ' : '\0';
    fail("the lock %s is held by %s; wait for it to end, or end it", path,
         owner[0] ? owner : "somebody who left no name");
    return EXIT_TAKEN;
}

static void wait_for_end(int signals)
{
    struct pollfd watched[] = {{.fd = 0, .events = POLLIN}, {.fd = signals, .events = POLLIN}};
    for (;;) {
        if (poll(watched, 2, -1) < 0) {
            if (errno == EINTR) continue;
            return;
        }
        if (watched[1].revents) return;
        if (!watched[0].revents) continue;
        char discarded[4096];
        ssize_t length = read(0, discarded, sizeof discarded);
        if (length == 0 || (length < 0 && errno != EINTR && errno != EAGAIN)) return;
    }
}

static int run_hold(struct arguments *arguments)
{
    const char *path = NULL, *owner = NULL;
    while (next_option(arguments)) {
        if (option_is(arguments, "lock")) path = option_text(arguments);
        else if (option_is(arguments, "owner")) owner = option_text(arguments);
        else refuse_option(arguments);
    }
    expect_end(arguments);
    if (!path || !owner)
        return misuse("%s is missing; give both --lock FILE and --owner TEXT", path ? "--owner" : "--lock");
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGHUP);
    sigprocmask(SIG_BLOCK, &ends, NULL);
    int signals = signalfd(-1, &ends, SFD_CLOEXEC);

    int fd = open_lock(path);
    if (fd < 0) return fail("cannot open the lock %s (%s); check its folder and permissions", path, strerror(errno));
    if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK) return report_owner(fd, path);
        return fail("cannot lock %s (%s); choose a file on a local disk", path, strerror(errno));
    }
    if (ftruncate(fd, 0) != 0 || pwrite(fd, owner, strlen(owner), 0) != (ssize_t)strlen(owner))
        return fail("cannot write the owner into %s (%s); check the disk", path, strerror(errno));
    if (puts("held") < 0 || fflush(stdout) != 0)
        fail("cannot tell on stdout that %s is held (%s); the lock is let go", path, strerror(errno));
    else wait_for_end(signals);
    bool emptied = ftruncate(fd, 0) == 0;
    flock(fd, LOCK_UN);
    return emptied && !ferror(stdout) ? EXIT_DONE : EXIT_FAILED;
}
