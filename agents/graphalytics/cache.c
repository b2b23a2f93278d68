/* Parts of loaded graphs. A file's sum is that of its slices, so that ranks share the reading and any number of them
   finds the same. */
#define _GNU_SOURCE
#include "cache.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "checksum.h"
#include "memory.h"
#include "parts.h"
#include "team.h"

enum { FORMAT = 3, MAX_SECTIONS = 16, SLICE = 1 << 20 };

static const char magic[8] = "gapart 1";

struct header {
    struct part_head part;
    struct content content;
    uint32_t format, directed, weighted, ranks, rank, own, busy, padding;
    uint64_t vertices, edges, copies, in_entries, out_entries, spread_entries;
    uint64_t ids, all;
};

static int sum_file(const char *path, const struct net *net, uint64_t *sum, uint64_t *bytes)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) != 0) return 0;
    int whole = 1;
    uint64_t all = (uint64_t)st.st_size, ranks = (uint64_t)net->ranks, total = 0;
#pragma omp parallel reduction(+ : total) reduction(&& : whole) if (team_size() > 1)
    {
        char *buffer = take(SLICE);
#pragma omp for
        for (uint64_t k = (uint64_t)net->rank; k < (all + SLICE - 1) / SLICE; k += ranks) {
            uint64_t left = all - k * SLICE, want = left < SLICE ? left : SLICE;
            whole = whole && pread(fd, buffer, want, (off_t)(k * SLICE)) == (ssize_t)want;
            total += checksum(k + 1, buffer, want);
        }
        free(buffer);
    }
    *bytes = all;
    *sum = total;
    close(fd);
    return whole;
}

int content_of(struct content *c, struct net *net, const struct files *files)
{
    uint64_t failed = !sum_file(files->vertices, net, &c->sum[0], &c->bytes[0]) ||
                      !sum_file(files->edges, net, &c->sum[1], &c->bytes[1]);
    net_max(net, &failed, 1);
    net_sum(net, c->sum, 2);
    return !failed;
}

static void file_name(const struct graph *g, const struct content *c, const char *dir, char *out, size_t room)
{
    snprintf(out, room, "%s/ga-v%d-%016" PRIx64 "%016" PRIx64 "-d%d-w%d-p%d-r%d.bin", dir, FORMAT,
             c->sum[0] ^ c->bytes[0], c->sum[1] ^ c->bytes[1], g->directed, g->weighted, g->net->ranks, g->net->rank);
}

static int add_lists(struct lists *l, uint64_t vertices, uint64_t entries, struct section *s)
{
    s[0] = (struct section){(void **)&l->ptr, (vertices + 1) * sizeof *l->ptr};
    s[1] = (struct section){(void **)&l->to, entries * sizeof *l->to};
    return 2;
}

/* The arrays of a part in file order; what is the same array twice in memory is there once. */
static int sections(struct graph *g, const struct header *h, struct section *s)
{
    int n = 0;
    uint64_t ranks = h->ranks;
    s[n++] = (struct section){(void **)&g->own_of, ranks * sizeof *g->own_of};
    s[n++] = (struct section){(void **)&g->ordinal, h->own * sizeof *g->ordinal};
    s[n++] = (struct section){(void **)&g->ghost_count, ranks * sizeof *g->ghost_count};
    s[n++] = (struct section){(void **)&g->copy_start, (ranks + 1) * sizeof *g->copy_start};
    s[n++] = (struct section){(void **)&g->copy, h->copies * sizeof *g->copy};
    s[n++] = (struct section){(void **)&g->ids, h->ids * sizeof *g->ids};
    s[n++] = (struct section){(void **)&g->block_start, (ranks + 1) * sizeof *g->block_start};
    if (h->weighted) {
        n += add_lists(&g->spread, h->all, h->spread_entries, s + n);
        s[n++] = (struct section){(void **)&g->weight, h->spread_entries * sizeof *g->weight};
        return n;
    }
    n += add_lists(&g->in, h->own, h->in_entries, s + n);
    if (h->directed) n += add_lists(&g->out, h->own, h->out_entries, s + n);
    if (h->ranks > 1) n += add_lists(&g->spread, h->all, h->spread_entries, s + n);
    return n;
}

static void share_arrays(struct graph *g)
{
    if (g->weighted) return;
    if (!g->directed) g->out = g->in;
    if (g->net->ranks == 1) g->spread = g->out;
}

static struct header header_of(const struct graph *g, const struct content *c)
{
    int ranks = g->net->ranks;
    struct header h = {.content = *c,
                       .format = FORMAT,
                       .directed = (uint32_t)g->directed,
                       .weighted = (uint32_t)g->weighted,
                       .ranks = (uint32_t)ranks,
                       .rank = (uint32_t)g->net->rank,
                       .own = g->own,
                       .busy = g->busy,
                       .vertices = g->vertices,
                       .edges = g->edges,
                       .copies = g->copy_start[ranks],
                       .in_entries = g->weighted ? 0 : g->in.ptr[g->own],
                       .out_entries = g->weighted ? 0 : g->out.ptr[g->own],
                       .spread_entries = g->weighted || ranks > 1 ? g->spread.ptr[g->all] : 0,
                       .ids = g->block_start[g->net->rank + 1] - g->block_start[g->net->rank],
                       .all = g->all};
    memcpy(h.part.magic, magic, sizeof magic);
    return h;
}

static int header_fits(const struct graph *g, const struct content *c, const struct header *h)
{
    return h->format == FORMAT && memcmp(&h->content, c, sizeof *c) == 0 && h->directed == (uint32_t)g->directed &&
           h->weighted == (uint32_t)g->weighted && h->ranks == (uint32_t)g->net->ranks &&
           h->rank == (uint32_t)g->net->rank;
}

static int load_part(struct graph *g, const struct content *c, int fd)
{
    struct header h;
    struct section s[MAX_SECTIONS];
    if (!part_read_head(fd, &h.part, sizeof h, magic) || !header_fits(g, c, &h)) return 0;
    g->cached = part_read(fd, &h.part, sizeof h, s, sections(g, &h, s));
    if (!g->cached) return 0;
    g->vertices = h.vertices;
    g->edges = h.edges;
    g->own = h.own;
    g->busy = h.busy;
    share_arrays(g);
    graph_place_ghosts(g);
    return 1;
}

int cache_load(struct graph *g, const char *dir, const struct content *c, int directed, int weighted)
{
    char name[4096];
    g->directed = directed;
    g->weighted = weighted;
    file_name(g, c, dir, name, sizeof name);
    int fd = open(name, O_RDONLY | O_CLOEXEC);
    uint64_t missing = fd < 0 || !load_part(g, c, fd);
    if (fd >= 0) close(fd);
    net_max(g->net, &missing, 1);
    if (!missing) return 1;
    if (g->cached) graph_free(g);
    *g = (struct graph){.net = g->net};
    return 0;
}

int cache_save(const struct graph *g, const char *dir, const struct content *c)
{
    char name[4096];
    struct header h = header_of(g, c);
    struct graph view = *g;
    struct section s[MAX_SECTIONS];
    file_name(g, c, dir, name, sizeof name);
    uint64_t failed = !part_save(dir, name, &h.part, sizeof h, s, sections(&view, &h, s));
    net_sum(g->net, &failed, 1);
    return (int)failed;
}
