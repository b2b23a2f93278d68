/* The file is mapped shared, so records need no writing. Its space is taken from the disk before it is touched: a full
   disk is then an error that can be told, and not a signal that ends the program. */
#define _GNU_SOURCE
#include "store.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { CHUNK_BYTES = 1 << 19 };

static int map_more(struct store *s)
{
    int fault = posix_fallocate(s->fd, (off_t)s->mapped, CHUNK_BYTES);
    void *at = (char *)s->header + s->mapped;
    const int flags = MAP_SHARED | MAP_FIXED | MAP_POPULATE;
    if (fault == 0 && mmap(at, CHUNK_BYTES, PROT_READ | PROT_WRITE, flags, s->fd, (off_t)s->mapped) == MAP_FAILED) {
        fault = errno;
    }
    if (fault != 0) {
        errno = fault;
        return -1;
    }
    s->mapped += CHUNK_BYTES;
    size_t room = (s->mapped - TRACE_HEADER_BYTES) / s->record_bytes;
    s->room = room < s->most ? room : s->most;
    return 0;
}

int store_open(struct store *s, const char *path, size_t record_bytes, size_t most)
{
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd < 0) return -1;
    size_t bytes = TRACE_HEADER_BYTES + most * record_bytes + 2 * (size_t)CHUNK_BYTES;
    void *place = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (place == MAP_FAILED) {
        close(fd);
        return -1;
    }
    *s = (struct store){.header = place, .record_bytes = record_bytes, .most = most, .fd = fd};
    s->records = (char *)place + TRACE_HEADER_BYTES;
    if (map_more(s) != 0) {
        int fault = errno;
        munmap(place, bytes);
        close(fd);
        s->header = NULL;
        errno = fault;
        return -1;
    }
    memcpy(s->header->magic, TRACE_MAGIC, sizeof TRACE_MAGIC);
    s->header->record_bytes = (uint32_t)record_bytes;
    return 0;
}

void *store_next(struct store *s)
{
    if (s->header->count == s->room) {
        if (s->room == s->most) return NULL;
        if (map_more(s) != 0) {
            s->most = s->room;
            return NULL;
        }
    }
    return s->records + s->header->count * s->record_bytes;
}

void store_cut(struct store *s)
{
    size_t bytes = TRACE_HEADER_BYTES + s->header->count * s->record_bytes;
    /* Pages beyond the end must not be touched any more: nothing is added. */
    s->most = s->room = s->header->count;
    /* A file that stays too long is read as far as it counts. */
    (void)!ftruncate(s->fd, (off_t)bytes);
    close(s->fd);
}
