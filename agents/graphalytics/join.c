/* Union and find along the edges that a rank has. The higher root is hung below the lower one, so whatever threads do
   each part has its smallest index for a root in the end. */
#include "join.h"

#include "team.h"

enum { SAMPLED = 2, PROBES = 1024 };

/* Threads may meet in a part: what one reads has been true, and a root is hung by one only. `threaded` is a constant,
   so that one thread does without all this. */
static inline uint32_t above_of(const uint32_t *part, uint32_t v, int threaded)
{
    return threaded ? __atomic_load_n(&part[v], __ATOMIC_RELAXED) : part[v];
}

/* Whether it was a root still. */
static inline int hang(uint32_t *part, uint32_t root, uint32_t below, int threaded)
{
    if (threaded) return __atomic_compare_exchange_n(&part[root], &root, below, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    part[root] = below;
    return 1;
}

static inline void join(uint32_t *part, uint32_t u, uint32_t v, int threaded)
{
    uint32_t a = above_of(part, u, threaded), b = above_of(part, v, threaded);
    while (a != b) {
        uint32_t high = a > b ? a : b, low = a > b ? b : a, above = above_of(part, high, threaded);
        if (above == high && hang(part, high, low, threaded)) return;
        if (above == low) return;
        a = above_of(part, above, threaded);
        b = above_of(part, low, threaded);
    }
}

static void compress(uint32_t *part, uint32_t count)
{
    if (team_size() == 1) {
        for (uint32_t v = 0; v < count; v++)
            while (part[v] != part[part[v]]) part[v] = part[part[v]];
        return;
    }
#pragma omp parallel for schedule(static)
    for (uint32_t v = 0; v < count; v++)
        for (uint32_t above = above_of(part, v, 1), top; above != (top = above_of(part, above, 1)); above = top)
            __atomic_store_n(&part[v], top, __ATOMIC_RELAXED);
}

/* The part that most of a few vertices are in. */
static uint32_t largest_part(const uint32_t *part, uint32_t count)
{
    uint32_t best = 0;
    int most = 0;
    uint32_t seen[PROBES];
    int n = 0;
    for (uint64_t k = 0; k < PROBES && count > 0; k++) seen[n++] = part[k * 0x9e3779b97f4a7c15u % count];
    for (int i = 0; i < n && i < 16; i++) {
        int same = 0;
        for (int k = 0; k < n; k++) same += seen[k] == seen[i];
        if (same > most) best = seen[i], most = same;
    }
    return best;
}

static inline void join_list(uint32_t *part, const struct lists *l, uint32_t v, uint64_t from, int threaded)
{
    for (uint64_t at = l->ptr[v] + from; at < l->ptr[v + 1]; at++) join(part, v, l->to[at], threaded);
}

/* Ghosts stand at a list's end. */
static inline void join_ghosts(uint32_t *part, const struct lists *l, uint32_t v, uint32_t own, int threaded)
{
    for (uint64_t at = l->ptr[v + 1]; at > l->ptr[v] && l->to[at - 1] >= own; at--)
        join(part, v, l->to[at - 1], threaded);
}

static inline void join_sample(const struct graph *g, uint32_t *part, uint32_t v, uint64_t edge, int threaded)
{
    if (degree_of(&g->in, v) > edge) join(part, v, g->in.to[g->in.ptr[v] + edge], threaded);
}

/* An edge between own vertices is seen from both ends, so the largest part's may be left to the others. */
static inline void join_rest(const struct graph *g, uint32_t *part, uint32_t v, uint32_t largest, int threaded)
{
    if (above_of(part, v, threaded) != largest) {
        join_list(part, &g->in, v, SAMPLED, threaded);
        if (g->directed) join_list(part, &g->out, v, 0, threaded);
    } else if (g->net->ranks > 1) {
        join_ghosts(part, &g->in, v, g->own, threaded);
        if (g->directed) join_ghosts(part, &g->out, v, g->own, threaded);
    }
}

static void sample_together(const struct graph *g, uint32_t *part, uint64_t edge)
{
    uint32_t piece = team_piece(g->busy);
#pragma omp parallel for schedule(dynamic, piece)
    for (uint32_t v = 0; v < g->busy; v++) join_sample(g, part, v, edge, 1);
}

static void join_together(const struct graph *g, uint32_t *part, uint32_t largest)
{
    uint32_t piece = team_piece(g->busy);
#pragma omp parallel for schedule(dynamic, piece)
    for (uint32_t v = 0; v < g->busy; v++) join_rest(g, part, v, largest, 1);
}

void join_here(const struct graph *g, uint32_t *part)
{
    int alone = team_size() == 1;
    for (uint32_t v = 0; v < g->all; v++) part[v] = v;
    for (uint64_t edge = 0; edge < SAMPLED; edge++) {
        for (uint32_t v = 0; alone && v < g->busy; v++) join_sample(g, part, v, edge, 0);
        if (!alone) sample_together(g, part, edge);
    }
    compress(part, g->busy);
    uint32_t largest = largest_part(part, g->busy);
    for (uint32_t v = 0; alone && v < g->busy; v++) join_rest(g, part, v, largest, 0);
    if (!alone) join_together(g, part, largest);
    compress(part, g->all);
}
