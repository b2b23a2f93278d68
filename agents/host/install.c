/* `install`: puts this very program where root alone can change it, under a name that tells its content. */
#include "agent.h"
#include "owned.h"
#include "sha256.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HOME "/var/lib/predict"
#define NAME "predict-agent"

static int run_install(struct arguments *arguments);

const struct command install_command = {
    .name = "install",
    .summary = "copy this program into a folder of root's and print where",
    .help = "predict-agent install\n"
            "Copies this program into " HOME "/agent-HASH/" NAME " and prints that path; HASH is\n"
            "the first 16 digits of its SHA-256. Every folder on the way must belong to root and be\n"
            "writable by root alone. Does nothing if it is there. For root.\n\n"
            "Example: sudo -n ./predict-agent install\n",
    .run = run_install,
};

/* A whole open file in memory that the caller frees, or NULL with errno. */
static char *content(int fd, size_t *length)
{
    struct stat status;
    if (fstat(fd, &status) != 0) return NULL;
    size_t size = (size_t)status.st_size;
    char *data = malloc(size ? size : 1);
    for (*length = 0; data && *length < size;) {
        ssize_t part = pread(fd, data + *length, size - *length, (off_t)*length);
        if (part < 0 && errno == EINTR) continue;
        if (part <= 0) {
            int reason = part < 0 ? errno : EIO;
            free(data);
            errno = reason;
            return NULL;
        }
        *length += (size_t)part;
    }
    return data;
}

/* Whether the program is in `folder` already, whole and root's own. */
static bool is_there(int folder, const char *digest)
{
    int fd = openat(folder, NAME, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return false;
    struct stat status;
    bool own = fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == 0 && status.st_gid == 0 &&
               (status.st_mode & 07777) == 0755;
    size_t length = 0;
    char found[SHA256_HEX + 1] = "", *data = own ? content(fd, &length) : NULL;
    if (data) sha256_hex(data, length, found);
    free(data);
    close(fd);
    return strcmp(found, digest) == 0;
}

static bool write_whole(int fd, const char *data, size_t length)
{
    while (length > 0) {
        ssize_t part = write(fd, data, length);
        if (part < 0 && errno == EINTR) continue;
        if (part <= 0) return false;
        data += part;
        length -= (size_t)part;
    }
    return fchown(fd, 0, 0) == 0 && fchmod(fd, 0755) == 0 && fsync(fd) == 0;
}

static bool put(int folder, const char *data, size_t length)
{
    char fresh[64];
    snprintf(fresh, sizeof fresh, ".%s.%ld", NAME, (long)getpid());
    unlinkat(folder, fresh, 0); /* of a process that was killed */
    int fd = openat(folder, fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0700);
    if (fd < 0) return false;
    bool whole = write_whole(fd, data, length);
    whole = close(fd) == 0 && whole;
    if (whole && renameat(folder, fresh, folder, NAME) == 0) return true;
    int reason = errno;
    unlinkat(folder, fresh, 0);
    errno = reason;
    return false;
}

static int run_install(struct arguments *arguments)
{
    if (next_option(arguments)) refuse_option(arguments);
    expect_end(arguments);
    /* The program that runs, whatever its path leads to by now. */
    int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    size_t length = 0;
    char *data = self < 0 ? NULL : content(self, &length);
    if (!data) return fail("cannot read this program (%s); is /proc mounted?", strerror(errno));
    char digest[SHA256_HEX + 1], path[128], problem[PROBLEM];
    sha256_hex(data, length, digest);
    snprintf(path, sizeof path, HOME "/agent-%.16s", digest);
    int folder = open_owned(path, true, problem);
    if (folder < 0) return fail("%s", problem);
    if (!is_there(folder, digest) && !put(folder, data, length))
        return fail("cannot write %s/" NAME " (%s); check the disk", path, strerror(errno));
    if (printf("%s/" NAME "\n", path) < 0 || fflush(stdout) != 0) return EXIT_FAILED;
    return EXIT_DONE;
}
