#include "join.h"

#include <string.h>

#include "team.h"

/* With fewer than MANY of PROBES vertices in the largest part, two edges of each are looked at first. */
enum { SAMPLED = 2, PROBES = 1024, MANY = 768 };

static void compress(uint32_t *part, uint32_t count)
{
#pragma omp parallel for schedule(static)
    for (uint32_t v = 0; v < count; v++)
        for (uint32_t above = above_of(part, v, 1), top; above != (top = above_of(part, above, 1)); above = top)
            __atomic_store_n(&part[v], top, __ATOMIC_RELAXED);
}

/* Each thread has a row of vertices. */
static inline uint32_t row_begins(uint32_t count, int row) { return (uint32_t)((uint64_t)count * row / team_size()); }

/* Who has a neighbour below is hung there, where that one hangs if it is of the same row. */
static void hang_first(const struct graph *g, uint32_t *part)
{
#pragma omp parallel for schedule(static)
    for (int row = 0; row < team_size(); row++) {
        uint32_t first = row_begins(g->busy, row), end = row_begins(g->busy, row + 1);
        for (uint32_t v = first; v < end; v++) {
            uint32_t u = degree_of(&g->in, v) > 0 ? g->in.to[g->in.ptr[v]] : v;
            part[v] = u >= v ? v : u >= first ? part[u] : u;
        }
    }
    for (uint32_t v = g->busy; v < g->all; v++) part[v] = v;
}

/* The part that most of a few vertices are in, and how many of PROBES those are. */
static uint32_t largest_part(const uint32_t *part, uint32_t count, int *most)
{
    uint32_t best = 0;
    uint32_t seen[PROBES];
    int n = 0;
    *most = 0;
    for (uint64_t k = 0; k < PROBES && count > 0; k++) seen[n++] = part_of(part, k * 0x9e3779b97f4a7c15u % count);
    for (int i = 0; i < n && i < 16; i++) {
        int same = 0;
        for (int k = 0; k < n; k++) same += seen[k] == seen[i];
        if (same > *most) best = seen[i], *most = same;
    }
    return best;
}

static inline void join_list(uint32_t *part, const struct lists *l, uint32_t v, uint64_t from, int threaded)
{
    for (uint64_t at = l->ptr[v] + from; at < l->ptr[v + 1]; at++) join(part, v, l->to[at], threaded);
}

static inline void join_sample(const struct graph *g, uint32_t *part, uint32_t v, int threaded)
{
    for (uint64_t at = g->in.ptr[v], end = g->in.ptr[v + 1], last = at + SAMPLED; at < end && at < last; at++)
        join(part, v, g->in.to[at], threaded);
}

/* But for the first `from` edges. */
static inline void join_rest(const struct graph *g, uint32_t *part, uint32_t v, uint64_t from, int threaded)
{
    join_list(part, &g->in, v, from, threaded);
    if (g->directed) join_list(part, &g->out, v, 0, threaded);
}

static void sample_together(const struct graph *g, uint32_t *part)
{
    uint32_t piece = team_piece(g->busy);
#pragma omp parallel for schedule(dynamic, piece)
    for (uint32_t v = 0; v < g->busy; v++) join_sample(g, part, v, 1);
}

static void join_together(const struct graph *g, uint32_t *part, const uint32_t *others, uint32_t count, uint64_t from)
{
    uint32_t piece = team_piece(count);
#pragma omp parallel for schedule(dynamic, piece)
    for (uint32_t k = 0; k < count; k++) join_rest(g, part, others[k], from, 1);
}

/* Those outside a part, in ascending order. */
static uint32_t list_outside(const struct graph *g, const uint32_t *part, uint32_t inside, uint32_t *outside)
{
    uint32_t counts[MAX_THREADS], count = 0;
#pragma omp parallel for schedule(static)
    for (int row = 0; row < team_size(); row++) {
        uint32_t *out = outside + row_begins(g->busy, row), n = 0;
        for (uint32_t v = row_begins(g->busy, row), end = row_begins(g->busy, row + 1); v < end; v++) {
            out[n] = v;
            n += part[v] != inside;
        }
        counts[row] = n;
    }
    for (int row = 0; row < team_size(); count += counts[row++])
        memmove(outside + count, outside + row_begins(g->busy, row), counts[row] * sizeof *outside);
    return count;
}

uint32_t join_here(const struct graph *g, uint32_t *part, uint32_t *outside, uint32_t *outside_count)
{
    int alone = team_size() == 1, most;
    hang_first(g, part);
    uint32_t largest = largest_part(part, g->busy, &most), count, left = 0;
    uint64_t sampled = most < MANY ? SAMPLED : 0;
    if (sampled > 0) {
        for (uint32_t v = 0; alone && v < g->busy; v++) join_sample(g, part, v, 0);
        if (!alone) sample_together(g, part);
        largest = largest_part(part, g->busy, &most);
    }
    if (sampled > 0 || !alone) compress(part, g->busy);
    count = list_outside(g, part, largest, outside);
    for (uint32_t k = 0; alone && k < count; k++) join_rest(g, part, outside[k], sampled, 0);
    if (!alone) join_together(g, part, outside, count, sampled);
    uint32_t inside = part_of(part, largest);
    for (uint32_t k = 0; k < count; k++) {
        outside[left] = outside[k];
        left += part_of(part, outside[k]) != inside;
    }
    *outside_count = left;
    return largest;
}
