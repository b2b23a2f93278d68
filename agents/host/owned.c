/* A path that strangers cannot bend: openat(2) with O_NOFOLLOW from `/` down, each step judged by its descriptor. */
#include "owned.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool owned_by_root(const struct stat *status, const char *path, char problem[PROBLEM])
{
    problem[0] = '\0';
    if (status->st_uid != 0)
        snprintf(problem, PROBLEM, "%.300s belongs to user %u, not to root; remove it, or give it to root", path,
                 status->st_uid);
    else if (status->st_mode & (S_IWGRP | S_IWOTH))
        snprintf(problem, PROBLEM, "%.300s is writable by others than root (mode %04o); run chmod go-w on it", path,
                 status->st_mode & 07777);
    return problem[0] == '\0';
}

/* The folder `name` in `parent`, which it closes; `path` is what it is called in a refusal. */
static int step(int parent, const char *name, const char *path, bool make, char problem[PROBLEM])
{
    enum { HOW = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, ATTEMPTS = 100 };
    int folder = openat(parent, name, HOW);
    /* Another command may remove it in between. */
    for (int attempt = 0; folder < 0 && errno == ENOENT && make && attempt < ATTEMPTS; attempt++) {
        if (mkdirat(parent, name, 0755) != 0 && errno != EEXIST) {
            snprintf(problem, PROBLEM, "%.300s cannot be made (%s); check its disk", path, strerror(errno));
            break;
        }
        folder = openat(parent, name, HOW);
    }
    int reason = errno;
    close(parent);
    if (folder >= 0) return folder;
    if (reason == ENOTDIR || reason == ELOOP)
        snprintf(problem, PROBLEM, "%.300s is no folder, or a link; remove it", path);
    else if (!problem[0] && (reason != ENOENT || make))
        snprintf(problem, PROBLEM, "%.300s cannot be opened (%s)", path, strerror(reason));
    return -1;
}

int open_owned(const char *path, bool make, char problem[PROBLEM])
{
    problem[0] = '\0';
    if (make && geteuid() != 0) {
        snprintf(problem, PROBLEM, "this is for root; run it as root or with sudo -n");
        return -1;
    }
    char done[PATH_MAX] = "/";
    int folder = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    mode_t mask = umask(0022);
    for (const char *at = path; folder >= 0;) {
        struct stat status;
        if (fstat(folder, &status) != 0 || !owned_by_root(&status, done, problem)) {
            close(folder);
            folder = -1;
            break;
        }
        at += strspn(at, "/");
        if (*at == '\0') break;
        char name[NAME_MAX + 1];
        size_t length = strcspn(at, "/"), used = strlen(done);
        if (length > NAME_MAX || used + length + 2 > sizeof done) {
            close(folder);
            snprintf(problem, PROBLEM, "the path %.300s is too long", path);
            folder = -1;
            break;
        }
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        snprintf(done + used, sizeof done - used, "%s%s", used > 1 ? "/" : "", name);
        folder = step(folder, name, done, make, problem);
        at += length;
    }
    umask(mask);
    return folder;
}
