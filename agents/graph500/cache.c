/* A constructed graph on disk, one part for each rank (parts.h). It is loaded only if every rank finds its part whole;
   else all construct it. */
#include "cache.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "parts.h"

enum { FORMAT = 5, MAX_SECTIONS = 12 };

static const char magic[8] = "g500part";

/* Host byte order: a part is read where it was written. */
struct header {
    struct part_head part;
    uint32_t format, scale, edge_factor, ranks, rank, key_count, keys_exhausted, kernels;
    uint64_t seed, rows, cols, own, row_entries, col_entries, arcs;
};

static void file_name(const struct graph *g, const char *dir, char *out, size_t room)
{
    snprintf(out, room, "%s/g500-v%d-k%d-s%d-e%d-seed%llu-p%d-r%d.bin", dir, FORMAT, g->kernels, g->scale,
             g->edge_factor, (unsigned long long)g->seed, g->net->ranks, g->net->rank);
}

/* The arrays of a part in file order. Where two names mean one array it is there once; see share_arrays. */
static int sections(struct graph *g, const struct header *h, struct section *s)
{
    int n = 0;
    s[n++] = (struct section){(void **)&g->own_of, h->ranks * sizeof(uint32_t)};
    s[n++] = (struct section){(void **)&g->row_degree, h->rows * sizeof(uint32_t)};
    if (h->ranks > 1) s[n++] = (struct section){(void **)&g->own_degree, h->own * sizeof(uint32_t)};
    if (h->kernels & KERNEL_BFS) {
        s[n++] = (struct section){(void **)&g->by_row_ptr, (h->rows + 1) * sizeof(uint32_t)};
        s[n++] = (struct section){(void **)&g->by_row, h->row_entries * sizeof(uint32_t)};
    }
    if (h->kernels & KERNEL_BFS && h->ranks > 1) {
        s[n++] = (struct section){(void **)&g->by_col_ptr, (h->cols + 1) * sizeof(uint32_t)};
        s[n++] = (struct section){(void **)&g->by_col, h->col_entries * sizeof(uint32_t)};
    }
    if (h->kernels & KERNEL_SSSP) {
        s[n++] = (struct section){(void **)&g->arc_ptr, (h->cols + 1) * sizeof(uint32_t)};
        s[n++] = (struct section){(void **)&g->arcs, h->arcs * sizeof(uint64_t)};
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

/* The file's own size bounds every count in the header before anything is looked at. */
static int header_fits(const struct graph *g, const struct header *h, uint32_t keys)
{
    struct graph scratch = {0};
    struct section s[MAX_SECTIONS];
    if (h->format != FORMAT || h->scale != (uint32_t)g->scale || h->edge_factor != (uint32_t)g->edge_factor ||
        h->seed != g->seed || h->kernels != (uint32_t)g->kernels || h->ranks != (uint32_t)g->net->ranks ||
        h->rank != (uint32_t)g->net->rank || (h->key_count < keys && !h->keys_exhausted))
        return 0;
    if (h->rows > UINT32_MAX || h->cols > UINT32_MAX || h->own > UINT32_MAX || h->row_entries > UINT32_MAX ||
        h->col_entries > UINT32_MAX || h->arcs > UINT32_MAX)
        return 0;
    return part_bytes(s, sections(&scratch, h, s)) == h->part.file_bytes;
}

static int load_part(struct graph *g, int fd, uint32_t keys)
{
    struct header h;
    struct section s[MAX_SECTIONS];
    if (!part_read_head(fd, &h.part, sizeof h, magic) || !header_fits(g, &h, keys)) return 0;
    g->mapping = part_map(fd, &h.part, sizeof h, s, sections(g, &h, s));
    if (!g->mapping) return 0;
    g->mapping_bytes = h.part.file_bytes;
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
                        .kernels = g->kernels,
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
                       .kernels = (uint32_t)g->kernels,
                       .seed = g->seed,
                       .rows = row_bits(g),
                       .cols = col_bits(g),
                       .own = g->own,
                       .row_entries = g->by_row ? g->by_row_ptr[row_bits(g)] : 0,
                       .col_entries = g->by_col ? g->by_col_ptr[col_bits(g)] : 0,
                       .arcs = g->arcs ? g->arc_ptr[col_bits(g)] : 0};
    memcpy(h.part.magic, magic, sizeof magic);
    return h;
}

static int save_part(const struct graph *g, const char *dir)
{
    char name[4096];
    struct header h = header_of(g);
    struct graph view = *g;
    struct section s[MAX_SECTIONS];
    file_name(g, dir, name, sizeof name);
    return part_save(dir, name, &h.part, sizeof h, s, sections(&view, &h, s));
}

int cache_save(const struct graph *g, const char *dir)
{
    uint64_t failed = !save_part(g, dir);
    net_sum(g->net, &failed, 1);
    return (int)failed;
}
