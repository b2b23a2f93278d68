/* Reads and writes of small files by plain system calls, and clocks in ns. */
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

ssize_t read_again(int fd, char *buffer, size_t size)
{
    ssize_t length;
    do length = pread(fd, buffer, size - 1, 0);
    while (length < 0 && errno == EINTR);
    buffer[length > 0 ? length : 0] = '\0';
    return length;
}

ssize_t read_small(int directory, const char *path, char *buffer, size_t size)
{
    int fd = openat(directory, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return -1;
    ssize_t length = read_again(fd, buffer, size);
    int reason = errno;
    close(fd);
    errno = reason;
    return length;
}

ssize_t read_kept(int *file, const char *path, char *buffer, size_t size)
{
    if (*file < 0) *file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (*file < 0) return -1;
    ssize_t length = read_again(*file, buffer, size);
    if (length >= 0) return length;
    int reason = errno;
    close(*file);
    *file = -1;
    errno = reason;
    return length;
}

char *read_whole(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return NULL;
    size_t size = 16384, used = 0;
    char *text = malloc(size);
    for (;;) {
        ssize_t length = text ? read(fd, text + used, size - used - 1) : -1;
        if (length < 0 && errno == EINTR && text) continue;
        if (length <= 0) {
            close(fd);
            if (length < 0) {
                free(text);
                return NULL;
            }
            text[used] = '\0';
            return text;
        }
        used += (size_t)length;
        if (size - used > 4096) continue;
        char *larger = realloc(text, size *= 2);
        if (!larger) free(text);
        text = larger;
    }
}

bool replace_file(int directory, const char *name, const char *text)
{
    char temporary[128];
    snprintf(temporary, sizeof temporary, ".%s.%ld", name, (long)getpid());
    int fd = openat(directory, temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0) return false;
    size_t length = strlen(text);
    bool written = write(fd, text, length) == (ssize_t)length;
    written = close(fd) == 0 && written;
    if (written && renameat(directory, temporary, directory, name) == 0) return true;
    int reason = errno;
    unlinkat(directory, temporary, 0);
    errno = reason;
    return false;
}

bool find_count(const char *text, const char *name, uint64_t *count)
{
    size_t length = strlen(name);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        if (*line == '\n') line++;
        if (strncmp(line, name, length) != 0) continue;
        const char *at = line + length;
        if (*at != ' ' && *at != '\t' && *at != '\n' && name[length - 1] != ':') continue;
        *count = take_count(&at);
        return true;
    }
    return false;
}

uint64_t take_count(const char **at)
{
    const char *digit = *at;
    uint64_t count = 0;
    while (*digit == ' ' || *digit == '\t') digit++;
    for (; *digit >= '0' && *digit <= '9'; digit++) count = count * 10 + (uint64_t)(*digit - '0');
    *at = digit;
    return count;
}

uint64_t now_ns(enum clock_name name)
{
    static const clockid_t clocks[] = {CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_BOOTTIME};
    struct timespec time;
    clock_gettime(clocks[name], &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

uint64_t own_cpu_ns(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    uint64_t seconds = (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec);
    return seconds * 1000000000u + (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000u;
}
