#define _POSIX_C_SOURCE 200809L
#include "cache.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory.h"

enum { FORMAT = 1, MAX_SECTIONS = 12 };

static const char magic[8] = "g500part";

/* Host byte order: a part is read where it was written. */
struct header {
    char magic[8];
    uint32_t format, scale, edge_factor, ranks, rank, key_count, keys_exhausted, padding;
    uint64_t seed, rows, cols, own, row_entries, col_entries, input_edges;
    uint64_t payload_bytes, checksum;
};

struct section {
    void **data;
    size_t bytes;
};

static void file_name(const struct graph *g, const char *dir, char *out, size_t room)
{
    snprintf(out, room, "%s/g500-v%d-s%d-e%d-seed%llu-p%d-r%d.bin", dir, FORMAT, g->scale, g->edge_factor,
             (unsigned long long)g->seed, g->net->ranks, g->net->rank);
}

/* The arrays of a part in file order. On one rank both orientations are one array. */
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
    s[n++] = (struct section){(void **)&g->input.col, h->input_edges * sizeof(uint32_t)};
    s[n++] = (struct section){(void **)&g->input.row, h->input_edges * sizeof(uint32_t)};
    s[n++] = (struct section){(void **)&g->keys, h->key_count * sizeof(struct search_key)};
    return n;
}

/* Four independent multiply-and-rotate lanes: runs at memory speed; any changed bit changes the sum. */
static uint64_t checksum(uint64_t seed, const void *data, size_t bytes)
{
    uint64_t lane[4] = {seed, ~seed, seed + 1, seed + 2}, word;
    const char *p = data;
    size_t at = 0;
    for (; at + 32 <= bytes; at += 32)
        for (int i = 0; i < 4; i++) {
            memcpy(&word, p + at + 8 * i, 8);
            uint64_t x = (lane[i] ^ word) * 0x9fb21c651e98df25u;
            lane[i] = x << 29 | x >> 35;
        }
    for (; at < bytes; at++) lane[0] = (lane[0] ^ (uint8_t)p[at]) * 0x9fb21c651e98df25u;
    uint64_t sum = bytes;
    for (int i = 0; i < 4; i++) {
        sum = (sum ^ lane[i]) * 0x9e3779b97f4a7c15u;
        sum ^= sum >> 32;
    }
    return sum;
}

static uint64_t checksum_all(const struct section *s, int n)
{
    uint64_t sum = FORMAT;
    for (int i = 0; i < n; i++) sum = checksum(sum, *s[i].data, s[i].bytes);
    return sum;
}

static int read_all(int fd, void *data, size_t bytes)
{
    for (char *p = data; bytes > 0;) {
        ssize_t n = read(fd, p, bytes);
        if (n <= 0) return 0;
        p += n;
        bytes -= (size_t)n;
    }
    return 1;
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

/* The file's own size bounds every count in the header before anything is allocated. */
static int header_fits(const struct graph *g, const struct header *h, uint32_t keys, uint64_t file_bytes)
{
    struct graph scratch = {0};
    struct section s[MAX_SECTIONS];
    if (memcmp(h->magic, magic, sizeof magic) || h->format != FORMAT || h->scale != (uint32_t)g->scale ||
        h->edge_factor != (uint32_t)g->edge_factor || h->seed != g->seed || h->ranks != (uint32_t)g->net->ranks ||
        h->rank != (uint32_t)g->net->rank || (h->key_count < keys && !h->keys_exhausted))
        return 0;
    if (h->rows > UINT32_MAX || h->cols > UINT32_MAX || h->own > UINT32_MAX || h->row_entries > UINT32_MAX ||
        h->col_entries > UINT32_MAX || h->input_edges > file_bytes)
        return 0;
    uint64_t bytes = 0;
    for (int i = sections(&scratch, h, s) - 1; i >= 0; i--) bytes += s[i].bytes;
    return bytes == h->payload_bytes && bytes + sizeof *h == file_bytes;
}

static int load_part(struct graph *g, int fd, uint32_t keys)
{
    struct header h;
    struct stat st;
    struct section s[MAX_SECTIONS];
    if (fstat(fd, &st) != 0 || !read_all(fd, &h, sizeof h) || !header_fits(g, &h, keys, (uint64_t)st.st_size)) return 0;
    int n = sections(g, &h, s), whole = 1;
    for (int i = 0; i < n; i++) *s[i].data = take(s[i].bytes + 64);
    for (int i = 0; i < n && whole; i++) whole = read_all(fd, *s[i].data, s[i].bytes);
    if (g->net->ranks == 1) {
        g->by_col = g->by_row;
        g->by_col_ptr = g->by_row_ptr;
        g->own_degree = g->row_degree;
    }
    g->input.count = g->input.room = h.input_edges;
    g->key_count = h.key_count;
    g->keys_exhausted = (int)h.keys_exhausted;
    return whole && checksum_all(s, n) == h.checksum;
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
    *g = (struct graph){.net = g->net, .scale = g->scale, .edge_factor = g->edge_factor, .seed = g->seed};
    return 0;
}

static struct header header_of(const struct graph *g)
{
    struct header h = {.format = FORMAT, .scale = (uint32_t)g->scale, .edge_factor = (uint32_t)g->edge_factor,
                       .ranks = (uint32_t)g->net->ranks, .rank = (uint32_t)g->net->rank,
                       .key_count = g->key_count, .keys_exhausted = (uint32_t)g->keys_exhausted, .seed = g->seed,
                       .rows = row_bits(g), .cols = col_bits(g), .own = g->own,
                       .row_entries = g->by_row_ptr[row_bits(g)], .col_entries = g->by_col_ptr[col_bits(g)],
                       .input_edges = g->input.count};
    memcpy(h.magic, magic, sizeof magic);
    return h;
}

static int save_part(const struct graph *g, const char *dir)
{
    char name[4096], temporary[4200];
    struct header h = header_of(g);
    struct graph view = *g;
    struct section s[MAX_SECTIONS];
    int n = sections(&view, &h, s);
    for (int i = 0; i < n; i++) h.payload_bytes += s[i].bytes;
    h.checksum = checksum_all(s, n);
    mkdir(dir, 0777);
    file_name(g, dir, name, sizeof name);
    snprintf(temporary, sizeof temporary, "%s.%ld.part", name, (long)getpid());
    int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (fd < 0) return 0;
    int done = write_all(fd, &h, sizeof h);
    for (int i = 0; i < n && done; i++) done = write_all(fd, *s[i].data, s[i].bytes);
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
