/* Parts on disk: parts.h has the format. */
#define _GNU_SOURCE
#include "parts.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "checksum.h"
#include "memory.h"

enum { SEED = 2, PAGE = PART_PAGE, SLACK = 64, PIECE = 256 << 10 };

static size_t room_for(size_t bytes) { return (bytes + SLACK + PAGE - 1) / PAGE * PAGE; }

size_t part_bytes(const struct section *s, int n)
{
    size_t bytes = PAGE;
    for (int i = 0; i < n; i++) bytes += room_for(s[i].bytes);
    return bytes;
}

int part_read_head(int fd, struct part_head *head, size_t head_bytes, const char magic[8])
{
    struct stat st;
    return fstat(fd, &st) == 0 && pread(fd, head, head_bytes, 0) == (ssize_t)head_bytes &&
           memcmp(head->magic, magic, sizeof head->magic) == 0 && head->file_bytes == (uint64_t)st.st_size &&
           head->file_bytes >= PAGE;
}

static uint64_t head_sum(const struct part_head *head, size_t head_bytes)
{
    char copy[PAGE];
    memcpy(copy, head, head_bytes);
    memset(copy + offsetof(struct part_head, checksum), 0, sizeof head->checksum);
    return checksum(SEED, copy, head_bytes);
}

/* The first page holds the header and is zero behind it. */
static int head_is_whole(const char *file, size_t head_bytes)
{
    static const char zero[PAGE];
    return memcmp(file + head_bytes, zero, PAGE - head_bytes) == 0;
}

static void point(const struct section *s, int n, char *file)
{
    size_t at = PAGE;
    for (int i = 0; i < n; at += room_for(s[i++].bytes)) *s[i].data = file + at;
}

static int is_whole(const char *file, const struct part_head *head, size_t head_bytes)
{
    return head_is_whole(file, head_bytes) &&
           checksum(head_sum(head, head_bytes), file + PAGE, head->file_bytes - PAGE) == head->checksum;
}

void *part_map(int fd, const struct part_head *head, size_t head_bytes, const struct section *s, int n)
{
    if (part_bytes(s, n) != head->file_bytes) return NULL;
    char *file = mmap(NULL, head->file_bytes, PROT_READ, MAP_SHARED | MAP_POPULATE, fd, 0);
    if (file == MAP_FAILED) return NULL;
    if (!is_whole(file, head, head_bytes)) {
        munmap(file, head->file_bytes);
        return NULL;
    }
    point(s, n, file);
    return file;
}

/* Piece by piece, each summed while it is in the cache. */
void *part_read(int fd, const struct part_head *head, size_t head_bytes, const struct section *s, int n)
{
    if (part_bytes(s, n) != head->file_bytes) return NULL;
    char *file = take(head->file_bytes);
    struct checksum c = checksum_begin(head_sum(head, head_bytes));
    size_t at = 0;
    while (at < head->file_bytes) {
        size_t left = head->file_bytes - at, want = left < PIECE ? left : PIECE;
        ssize_t got = pread(fd, file + at, want, (off_t)at);
        if (got != (ssize_t)want) break;
        if (at == 0) checksum_add(&c, file + PAGE, want - PAGE);
        else checksum_add(&c, file + at, want);
        at += want;
    }
    if (at == head->file_bytes && head_is_whole(file, head_bytes) && checksum_end(&c) == head->checksum) {
        point(s, n, file);
        return file;
    }
    free(file);
    return NULL;
}

static int write_all(int fd, const void *data, size_t bytes)
{
    for (const char *p = data; bytes > 0;) {
        ssize_t n = write(fd, p, bytes);
        if (n <= 0) return 0;
        p += n;
        bytes -= (size_t)n;
    }
    return 1;
}

static int write_padded(int fd, const void *data, size_t bytes, size_t room)
{
    static const char zero[PAGE + SLACK];
    return write_all(fd, data, bytes) && write_all(fd, zero, room - bytes);
}

/* As is_whole will see them. */
static uint64_t sum_padded(uint64_t seed, const struct section *s, int n)
{
    struct checksum c = checksum_begin(seed);
    for (int i = 0; i < n; i++) {
        size_t whole = s[i].bytes / PAGE * PAGE, rest = s[i].bytes - whole;
        char last[2 * PAGE] = {0};
        checksum_add(&c, *s[i].data, whole);
        if (rest) memcpy(last, (const char *)*s[i].data + whole, rest);
        checksum_add(&c, last, room_for(rest));
    }
    return checksum_end(&c);
}

static int write_part(int fd, const struct part_head *head, size_t head_bytes, const struct section *s, int n)
{
    int done = write_padded(fd, head, head_bytes, PAGE);
    for (int i = 0; i < n && done; i++) done = write_padded(fd, *s[i].data, s[i].bytes, room_for(s[i].bytes));
    return done;
}

int part_save(const char *dir, const char *path, struct part_head *head, size_t head_bytes, const struct section *s,
              int n)
{
    char temporary[4200];
    head->file_bytes = part_bytes(s, n);
    head->checksum = sum_padded(head_sum(head, head_bytes), s, n);
    mkdir(dir, 0777);
    snprintf(temporary, sizeof temporary, "%s.%ld.part", path, (long)getpid());
    int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (fd < 0) return 0;
    int done = write_part(fd, head, head_bytes, s, n);
    done &= close(fd) == 0;
    done = done && rename(temporary, path) == 0;
    if (!done) unlink(temporary);
    return done;
}
