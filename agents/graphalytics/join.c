#include "join.h"

#include <string.h>

#include "team.h"

/* With fewer than MANY of PROBES vertices in the largest part, two edges of each are looked at first. */
enum { SAMPLED = 2, PROBES = 1024, MANY = 768 };

/* One of so many vertices is a hub. */
enum { HUBS = 64 };

/* The root of whoever is near it mostly: two steps are taken at once, which is quicker than to ask before each. */
static inline uint32_t root_near(const uint32_t *part, uint32_t v) { return part_of(part, part[part[v]]); }

static void compress(uint32_t *part, uint32_t count)
{
#pragma omp parallel for schedule(static)
    for (uint32_t v = 0; v < count; v++)
        for (uint32_t above = above_of(part, v, 1), top; above != (top = above_of(part, above, 1)); above = top)
            __atomic_store_n(&part[v], top, __ATOMIC_RELAXED);
}

/* Each thread has a row of vertices. */
static inline uint32_t row_begins(uint32_t count, int row) { return (uint32_t)((uint64_t)count * row / team_size()); }

/* Vertices from `first` to `end` hang below their lowest neighbour, where that one hangs if it is among them or below
   `done`. */
static void hang_row(const uint32_t *lowest, uint32_t *part, uint32_t first, uint32_t end, uint32_t done)
{
    for (uint32_t v = first; v < end; v++) {
        uint32_t u = lowest[v];
        part[v] = v;
        part[v] = u < done || u >= first ? part[u] : u;
    }
}

/* Most lowest neighbours are among the first vertices, so those come first. */
static void hang_first(const struct graph *g, const uint32_t *lowest, uint32_t *part)
{
    uint32_t hubs = team_size() == 1 ? g->busy : g->busy / HUBS;
    hang_row(lowest, part, 0, hubs, 0);
#pragma omp parallel for schedule(static) if (hubs < g->busy)
    for (int row = 0; row < team_size(); row++)
        hang_row(lowest, part, hubs + row_begins(g->busy - hubs, row), hubs + row_begins(g->busy - hubs, row + 1),
                 hubs);
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

/* For one thread. All are hung at their root, so that who comes next finds it near. */
static inline void join_ghosts(uint32_t *part, uint32_t v, const uint32_t *ghosts, const uint32_t *end)
{
    uint32_t root = root_near(part, v);
    for (; ghosts < end; ghosts++) {
        uint32_t other = root_near(part, *ghosts), low = other < root ? other : root;
        part[other] = part[root] = part[*ghosts] = low;
        root = low;
    }
    part[v] = root;
}

/* A vertex outside the largest part; once it is inside, its other own neighbours are passed over, for those outside
   look at it. Ghosts, which stand at the end, look at none. */
static inline void join_list(uint32_t *part, const struct lists *l, uint32_t v, uint64_t from, uint32_t own,
                             uint32_t largest, int threaded)
{
    uint64_t at = l->ptr[v] + from, end = l->ptr[v + 1];
    for (int inside = 0; at < end && l->to[at] < own && !inside; at++) {
        join(part, v, l->to[at], threaded);
        inside = root_of(part, v, threaded) == root_of(part, largest, threaded);
    }
    while (at < end && l->to[at] < own) at++;
    if (!threaded) join_ghosts(part, v, l->to + at, l->to + end);
    for (; threaded && at < end; at++) join(part, v, l->to[at], threaded);
}

static inline void join_sample(const struct graph *g, uint32_t *part, uint32_t v, int threaded)
{
    for (uint64_t at = g->in.ptr[v], end = g->in.ptr[v + 1], last = at + SAMPLED; at < end && at < last; at++)
        join(part, v, g->in.to[at], threaded);
}

/* But for the first `from` edges. */
static inline void join_rest(const struct graph *g, uint32_t *part, uint32_t v, uint64_t from, uint32_t largest,
                             int threaded)
{
    join_list(part, &g->in, v, from, g->own, largest, threaded);
    if (g->directed) join_list(part, &g->out, v, 0, g->own, largest, threaded);
}

static void sample_together(const struct graph *g, uint32_t *part)
{
    uint32_t piece = team_piece(g->busy);
#pragma omp parallel for schedule(dynamic, piece)
    for (uint32_t v = 0; v < g->busy; v++) join_sample(g, part, v, 1);
}

static void join_together(const struct graph *g, uint32_t *part, const uint32_t *others, uint32_t count, uint64_t from,
                          uint32_t largest)
{
    uint32_t piece = team_piece(count);
#pragma omp parallel for schedule(dynamic, piece)
    for (uint32_t k = 0; k < count; k++) join_rest(g, part, others[k], from, largest, 1);
}

/* The same for one thread. Returns how many of the others, which come first then, are not in the largest part yet. */
static uint32_t join_alone(const struct graph *g, uint32_t *part, uint32_t *others, uint32_t count, uint64_t from,
                           uint32_t largest)
{
    uint32_t left = 0;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t v = others[k];
        join_rest(g, part, v, from, largest, 0);
        others[left] = v;
        left += root_near(part, v) != part_of(part, largest);
    }
    return left;
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
            n += root_near(part, v) != inside;
        }
        counts[row] = n;
    }
    for (int row = 0; row < team_size(); count += counts[row++])
        memmove(outside + count, outside + row_begins(g->busy, row), counts[row] * sizeof *outside);
    return count;
}

uint32_t join_here(const struct graph *g, const uint32_t *lowest, uint32_t *part, uint32_t *outside,
                   uint32_t *outside_count)
{
    int alone = team_size() == 1, most;
    hang_first(g, lowest, part);
    uint32_t largest = largest_part(part, g->busy, &most), count, left = 0;
    uint64_t sampled = most < MANY ? SAMPLED : 0;
    if (sampled > 0) {
        for (uint32_t v = 0; alone && v < g->busy; v++) join_sample(g, part, v, 0);
        if (!alone) sample_together(g, part);
        compress(part, g->busy);
        largest = largest_part(part, g->busy, &most);
    }
    count = list_outside(g, part, largest, outside);
    if (alone) count = join_alone(g, part, outside, count, sampled, largest);
    else join_together(g, part, outside, count, sampled, largest);
    uint32_t inside = part_of(part, largest);
    for (uint32_t k = 0; k < count; k++) {
        outside[left] = outside[k];
        left += part_of(part, outside[k]) != inside;
    }
    *outside_count = left;
    return largest;
}
