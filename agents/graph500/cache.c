/* A constructed graph on disk, one file ("part") for each rank.

   A file is a header and the arrays as they are in memory, in host byte order: each starts at a multiple of PAGE, with
   zeroes between, SLACK of them at least, because loops over lists read whole strides. A checksum covers all of it.
   Nothing is read into memory of our own: the file is mapped, so that every rank of a host, and every run, shares what
   the kernel keeps of it. Files are written under another name, renamed, and never written again.
   A graph is loaded only if every rank finds its part whole; else all construct it. */
#define _GNU_SOURCE
#include "cache.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "checksum.h"
#include "memory.h"

enum { FORMAT = 3, MAX_SECTIONS = 12, PAGE = 4096, SLACK = 64 };

static const char magic[8] = "g500part";

/* Host byte order: a part is read where it was written. */
struct header {
    char magic[8];
    uint32_t format, scale, edge_factor, ranks, rank, key_count, keys_exhausted, padding;
    uint64_t seed, rows, cols, own, row_entries, col_entries;
    uint64_t file_bytes, checksum; /* the sum is over the whole file with zero in its own place */
};

struct section {
    void **data;
    size_t bytes;
};

static size_t room_for(size_t bytes) { return (bytes + SLACK + PAGE - 1) / PAGE * PAGE; }

static void file_name(const struct graph *g, const char *dir, char *out, size_t room)
{
    snprintf(out, room, "%s/g500-v%d-s%d-e%d-seed%llu-p%d-r%d.bin", dir, FORMAT, g->scale, g->edge_factor,
             (unsigned long long)g->seed, g->net->ranks, g->net->rank);
}

/* The arrays of a part in file order. Where two names mean one array it is there once; see share_arrays. */
static int sections(struct graph *g, const struct header *h, struct section *s)
{
    int n = 0;
    s[n++] = (struct section){(void **)&g->own_of, h->ranks * sizeof(uint32_t)};
    s[n++] = (struct section){(void **)&g->by_row_ptr, (h->rows + 1) * sizeof(uint32_t)};
    s[n++] = (struct section){(void **)&g->by_row, h->row_entries * sizeof(uint32_t)};
    s[n++] = (struct section){(void **)&g->row_degree, h->rows * sizeof(uint32_t)};
    if (h->ranks > 1) {
        s[n++] = (struct section){(void **)&g->by_col_ptr, (h->cols + 1) * sizeof(uint32_t)};
        s[n++] = (struct section){(void **)&g->by_col, h->col_entries * sizeof(uint32_t)};
        s[n++] = (struct section){(void **)&g->own_degree, h->own * sizeof(uint32_t)};
    }
    s[n++] = (struct section){(void **)&g->name, h->cols * sizeof(uint32_t)};
    s[n++] = (struct section){(void **)&g->keys, h->key_count * sizeof(struct search_key)};
    return n;
}

static void share_arrays(struct graph *g)
{
    if (g->net->ranks > 1) return;
    g->by_col = g->by_row;
    g->by_col_ptr = g->by_row_ptr;
    g->own_degree = g->row_degree;
}

static size_t file_bytes_of(const struct section *s, int n)
{
    size_t bytes = room_for(sizeof(struct header));
    for (int i = 0; i < n; i++) bytes += room_for(s[i].bytes);
    return bytes;
}

/* The file's own size bounds every count in the header before anything is looked at. */
static int header_fits(const struct graph *g, const struct header *h, uint32_t keys, uint64_t file_bytes)
{
    struct graph scratch = {0};
    struct section s[MAX_SECTIONS];
    if (memcmp(h->magic, magic, sizeof magic) || h->format != FORMAT || h->scale != (uint32_t)g->scale ||
        h->edge_factor != (uint32_t)g->edge_factor || h->seed != g->seed || h->ranks != (uint32_t)g->net->ranks ||
        h->rank != (uint32_t)g->net->rank || (h->key_count < keys && !h->keys_exhausted))
        return 0;
    if (h->rows > UINT32_MAX || h->cols > UINT32_MAX || h->own > UINT32_MAX || h->row_entries > UINT32_MAX ||
        h->col_entries > UINT32_MAX)
        return 0;
    return h->file_bytes == file_bytes && file_bytes_of(s, sections(&scratch, h, s)) == file_bytes;
}

static uint64_t header_sum(struct header h)
{
    h.checksum = 0;
    return checksum(FORMAT, &h, sizeof h);
}

/* The first page holds the header and is zero behind it. */
static int is_whole(const char *file, const struct header *h)
{
    static const char zero[PAGE];
    return memcmp(file + sizeof *h, zero, PAGE - sizeof *h) == 0 &&
           checksum(header_sum(*h), file + PAGE, h->file_bytes - PAGE) == h->checksum;
}

static int load_part(struct graph *g, int fd, uint32_t keys)
{
    struct header h;
    struct stat st;
    struct section s[MAX_SECTIONS];
    if (fstat(fd, &st) != 0 || pread(fd, &h, sizeof h, 0) != sizeof h ||
        !header_fits(g, &h, keys, (uint64_t)st.st_size))
        return 0;
    char *file = mmap(NULL, h.file_bytes, PROT_READ, MAP_SHARED | MAP_POPULATE, fd, 0);
    if (file == MAP_FAILED) return 0;
    g->mapping = file;
    g->mapping_bytes = h.file_bytes;
    if (!is_whole(file, &h)) return 0;
    int n = sections(g, &h, s);
    size_t at = PAGE;
    for (int i = 0; i < n; at += room_for(s[i++].bytes)) *s[i].data = file + at;
    share_arrays(g);
    g->key_count = h.key_count;
    g->keys_exhausted = (int)h.keys_exhausted;
    return 1;
}

int cache_load(struct graph *g, const char *dir, uint32_t keys)
{
    char name[4096];
    file_name(g, dir, name, sizeof name);
    int fd = open(name, O_RDONLY);
    uint64_t missing = fd < 0 || !load_part(g, fd, keys);
    if (fd >= 0) close(fd);
    net_sum(g->net, &missing, 1);
    if (missing == 0) {
        graph_place_pieces(g);
        graph_derive(g);
        return 1;
    }
    graph_free(g);
    *g = (struct graph){.net = g->net,
                        .scale = g->scale,
                        .edge_factor = g->edge_factor,
                        .seed = g->seed,
                        .layout = g->layout};
    return 0;
}

static struct header header_of(const struct graph *g)
{
    struct header h = {.format = FORMAT,
                       .scale = (uint32_t)g->scale,
                       .edge_factor = (uint32_t)g->edge_factor,
                       .ranks = (uint32_t)g->net->ranks,
                       .rank = (uint32_t)g->net->rank,
                       .key_count = g->key_count,
                       .keys_exhausted = (uint32_t)g->keys_exhausted,
                       .seed = g->seed,
                       .rows = row_bits(g),
                       .cols = col_bits(g),
                       .own = g->own,
                       .row_entries = g->by_row_ptr[row_bits(g)],
                       .col_entries = g->by_col_ptr[col_bits(g)]};
    memcpy(h.magic, magic, sizeof magic);
    return h;
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

static int write_padded(int fd, const void *data, size_t bytes)
{
    static const char zero[PAGE + SLACK];
    return write_all(fd, data, bytes) && write_all(fd, zero, room_for(bytes) - bytes);
}

/* As is_whole will see them. */
static uint64_t checksum_padded(uint64_t sum, const struct section *s, int n)
{
    struct checksum c = checksum_begin(sum);
    for (int i = 0; i < n; i++) {
        size_t whole = s[i].bytes / PAGE * PAGE, rest = s[i].bytes - whole;
        char last[2 * PAGE] = {0};
        checksum_add(&c, *s[i].data, whole);
        memcpy(last, (const char *)*s[i].data + whole, rest);
        checksum_add(&c, last, room_for(rest));
    }
    return checksum_end(&c);
}

static int write_part(int fd, const struct header *h, const struct section *s, int n)
{
    int done = write_padded(fd, h, sizeof *h);
    for (int i = 0; i < n && done; i++) done = write_padded(fd, *s[i].data, s[i].bytes);
    return done;
}

static int save_part(const struct graph *g, const char *dir)
{
    char name[4096], temporary[4200];
    struct header h = header_of(g);
    struct graph view = *g;
    struct section s[MAX_SECTIONS];
    int n = sections(&view, &h, s);
    h.file_bytes = file_bytes_of(s, n);
    h.checksum = checksum_padded(header_sum(h), s, n);
    mkdir(dir, 0777);
    file_name(g, dir, name, sizeof name);
    snprintf(temporary, sizeof temporary, "%s.%ld.part", name, (long)getpid());
    int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (fd < 0) return 0;
    int done = write_part(fd, &h, s, n);
    done &= close(fd) == 0;
    done = done && rename(temporary, name) == 0;
    if (!done) unlink(temporary);
    return done;
}

int cache_save(const struct graph *g, const char *dir)
{
    uint64_t failed = !save_part(g, dir);
    net_sum(g->net, &failed, 1);
    return (int)failed;
}
