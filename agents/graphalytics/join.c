#include "join.h"

#include "team.h"

enum { SAMPLED = 2, PROBES = 1024 };

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

static inline void join_sample(const struct graph *g, uint32_t *part, uint32_t v, uint64_t edge, int threaded)
{
    if (degree_of(&g->in, v) > edge) join(part, v, g->in.to[g->in.ptr[v] + edge], threaded);
}

static inline void join_rest(const struct graph *g, uint32_t *part, uint32_t v, int threaded)
{
    join_list(part, &g->in, v, SAMPLED, threaded);
    if (g->directed) join_list(part, &g->out, v, 0, threaded);
}

static void sample_together(const struct graph *g, uint32_t *part, uint64_t edge)
{
    uint32_t piece = team_piece(g->busy);
#pragma omp parallel for schedule(dynamic, piece)
    for (uint32_t v = 0; v < g->busy; v++) join_sample(g, part, v, edge, 1);
}

static void join_together(const struct graph *g, uint32_t *part, const uint32_t *others, uint32_t count)
{
    uint32_t piece = team_piece(count);
#pragma omp parallel for schedule(dynamic, piece)
    for (uint32_t k = 0; k < count; k++) join_rest(g, part, others[k], 1);
}

uint32_t join_here(const struct graph *g, uint32_t *part, uint32_t *others)
{
    int alone = team_size() == 1;
    for (uint32_t v = 0; v < g->all; v++) part[v] = v;
    for (uint64_t edge = 0; edge < SAMPLED; edge++) {
        for (uint32_t v = 0; alone && v < g->busy; v++) join_sample(g, part, v, edge, 0);
        if (!alone) sample_together(g, part, edge);
    }
    compress(part, g->busy);
    uint32_t largest = largest_part(part, g->busy), count = 0;
    for (uint32_t v = 0; v < g->busy; v++) {
        others[count] = v;
        count += part[v] != largest;
    }
    for (uint32_t k = 0; alone && k < count; k++) join_rest(g, part, others[k], 0);
    if (!alone) join_together(g, part, others, count);
    compress(part, g->all);
    return largest;
}
