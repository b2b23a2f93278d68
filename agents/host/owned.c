/* A path that strangers cannot bend: openat(2) with O_NOFOLLOW from `/` down, each step judged by its descriptor. */
#include "owned.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Whether nobody but root and `user` can change the thing; if not, with a sentence. */
static bool owned_by(uid_t user, const struct stat *status, const char *path, char problem[PROBLEM])
{
    problem[0] = '\0';
    char whose[32] = "root";
    if (user != 0) snprintf(whose, sizeof whose, "root or user %u", user);
    if (status->st_uid != 0 && status->st_uid != user)
        snprintf(problem, PROBLEM, "%.300s belongs to user %u, not to %s; remove it, or give it to %s", path,
                 status->st_uid, whose, whose);
    else if (status->st_mode & (S_IWGRP | S_IWOTH))
        snprintf(problem, PROBLEM, "%.300s is writable by others than %s (mode %04o); run chmod go-w on it", path,
                 whose, status->st_mode & 07777);
    return problem[0] == '\0';
}

bool owned_by_root(const struct stat *status, const char *path, char problem[PROBLEM])
{
    return owned_by(0, status, path, problem);
}

/* The folder `name` in `parent`, which it closes; `path` is what it is called in a refusal. */
static int step(int parent, const char *name, const char *path, mode_t make, char problem[PROBLEM])
{
    enum { HOW = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, ATTEMPTS = 100 };
    int folder = openat(parent, name, HOW);
    /* Another command may remove it in between. */
    for (int attempt = 0; folder < 0 && errno == ENOENT && make && attempt < ATTEMPTS; attempt++) {
        if (mkdirat(parent, name, make) != 0 && errno != EEXIST) {
            snprintf(problem, PROBLEM, "%.300s cannot be made (%s); check its disk", path, strerror(errno));
            break;
        }
        folder = openat(parent, name, HOW);
    }
    int reason = errno;
    close(parent);
    if (folder >= 0) return folder;
    if (reason == ENOTDIR || reason == ELOOP)
        snprintf(problem, PROBLEM, "%.300s is not a folder, or is a symlink; remove it", path);
    else if (!problem[0] && (reason != ENOENT || make))
        snprintf(problem, PROBLEM, "%.300s cannot be opened (%s)", path, strerror(reason));
    return -1;
}

/* `make` is the mode of what is made; 0: nothing is. */
static int open_steps(uid_t user, const char *path, mode_t make, char problem[PROBLEM])
{
    problem[0] = '\0';
    char done[PATH_MAX] = "/";
    int folder = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    mode_t mask = umask(0022);
    for (const char *at = path; folder >= 0;) {
        struct stat status;
        at += strspn(at, "/");
        bool known = fstat(folder, &status) == 0;
        /* In a folder such as /scratch (1777) nobody can rename or remove what is the user's own. */
        if (known && user != 0 && *at && status.st_mode & S_ISVTX) status.st_mode &= ~(mode_t)(S_IWGRP | S_IWOTH);
        if (!known || !owned_by(user, &status, done, problem)) {
            close(folder);
            folder = -1;
            break;
        }
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

int open_owned(const char *path, bool make, char problem[PROBLEM])
{
    if (!make || geteuid() == 0) return open_steps(0, path, make ? 0755 : 0, problem);
    snprintf(problem, PROBLEM, "this is for root; run it as root or with sudo -n");
    return -1;
}

int open_users_own(const char *path, bool make, char problem[PROBLEM])
{
    int folder = open_steps(geteuid(), path, make ? 0700 : 0, problem);
    struct stat status;
    if (folder < 0 || (fstat(folder, &status) == 0 && status.st_uid == geteuid())) return folder;
    snprintf(problem, PROBLEM, "%.300s is not user %u's own; have it removed", path, geteuid());
    close(folder);
    return -1;
}

bool asking_user(unsigned *user, char problem[PROBLEM])
{
    const char *text = getenv("SUDO_UID");
    char *end = NULL;
    *user = 0;
    if (!text) return true;
    errno = 0;
    unsigned long number = strtoul(text, &end, 10);
    bool valid = *text >= '0' && *text <= '9' && *end == '\0' && errno == 0 && number < UINT_MAX;
    *user = (unsigned)number;
    if (!valid) snprintf(problem, PROBLEM, "SUDO_UID (\"%.40s\") is not a user id; let sudo set it", text);
    return valid;
}
