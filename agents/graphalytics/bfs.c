/* Breadth-first search by levels, top-down or bottom-up.

   A level's frontier is told to all ranks that have copies of its vertices; each then goes, top-down, from every vertex
   of the frontier, own or ghost, to own neighbours, or, bottom-up, from every own vertex that was not reached to the
   first neighbour in the frontier. Nothing is sent but the frontier. All ranks take the same direction.

   Source: S. Beamer, K. Asanovic, D. Patterson, "Direction-optimizing breadth-first search", SC'12. */
#include <stdlib.h>
#include <string.h>

#include "hot.h"
#include "job.h"
#include "memory.h"
#include "team.h"

/* Bottom-up once the frontier has more than 1/ALPHA of the edge ends that are left; top-down again when it has fewer
   than 1/BETA of the vertices. */
enum { ALPHA = 24, BETA = 200 };

/* Top-down, one thread goes through levels that are smaller, and else takes so many vertices in one go. */
enum { LARGE_LEVEL = 64, VERTICES_IN_PIECE = 16, FOUND_AT_ONCE = 128 };

struct search {
    uint64_t *reached;  /* own vertices */
    uint64_t *frontier; /* any index; only bottom-up */
    uint64_t *next;     /* own vertices found at this level; only bottom-up */
    uint32_t *order;    /* own vertices as they were reached, a level behind the other */
    uint32_t *queue;    /* in it, those of the frontier */
    uint64_t count;
    uint64_t ends; /* of the whole graph */
};

static void open(struct job *j)
{
    const struct graph *g = j->graph;
    struct search *s = j->state = take_zero(sizeof *s);
    s->reached = take((words_for(g->own) + 1) * sizeof(uint64_t));
    s->frontier = take((words_for(g->all) + 1) * sizeof(uint64_t));
    s->next = take((words_for(g->own) + 1) * sizeof(uint64_t));
    s->order = take(((size_t)g->own + 1) * sizeof *s->order);
    s->ends = g->out.ptr[g->own];
    net_sum(g->net, &s->ends, 1);
    j->depth = take(((size_t)g->own + 1) * sizeof *j->depth);
}

static void close(struct job *j)
{
    struct search *s = j->state;
    free(s->reached);
    free(s->frontier);
    free(s->next);
    free(s->order);
    free(s);
    free(j->depth);
}

/* Of two threads that come to a vertex one has it. Returns how many were found, in no order. */
static uint64_t reach_together(struct job *j, const struct lists *l, const uint32_t *from, uint64_t count,
                               uint32_t depth, uint32_t *found)
{
    struct search *s = j->state;
    uint64_t n = 0;
#pragma omp parallel
    {
        uint32_t mine[FOUND_AT_ONCE];
        uint64_t have = 0;
#pragma omp for schedule(dynamic, VERTICES_IN_PIECE) nowait
        for (uint64_t k = 0; k < count; k++)
            for (uint64_t at = l->ptr[from[k]], end = l->ptr[from[k] + 1]; at < end; at++) {
                uint32_t v = l->to[at];
                uint64_t bit = (uint64_t)1 << (v % 64), *word = &s->reached[v / 64];
                if (__atomic_load_n(word, __ATOMIC_RELAXED) & bit) continue;
                if (__atomic_fetch_or(word, bit, __ATOMIC_RELAXED) & bit) continue;
                j->depth[v] = depth;
                mine[have++] = v;
                if (have < FOUND_AT_ONCE) continue;
                memcpy(found + __atomic_fetch_add(&n, have, __ATOMIC_RELAXED), mine, sizeof mine);
                have = 0;
            }
        memcpy(found + __atomic_fetch_add(&n, have, __ATOMIC_RELAXED), mine, have * sizeof *mine);
    }
    return n;
}

static uint64_t reach(struct job *j, const struct lists *l, const uint32_t *from, uint64_t count, uint32_t depth,
                      uint32_t *found)
{
    struct search *s = j->state;
    uint64_t n = 0;
    if (team_size() > 1 && count >= LARGE_LEVEL) return reach_together(j, l, from, count, depth, found);
    for (uint64_t k = 0; k < count; k++)
        for (uint64_t at = l->ptr[from[k]], end = l->ptr[from[k] + 1]; at < end; at++) {
            uint32_t v = l->to[at];
            if (bit_get(s->reached, v)) continue;
            bit_set(s->reached, v);
            j->depth[v] = depth;
            found[n++] = v;
        }
    return n;
}

/* From the frontier, own part and ghosts, to what is new; the queue is then that. */
static void top_down(struct job *j, uint32_t depth)
{
    struct search *s = j->state;
    const struct lists *l = &j->graph->spread;
    uint32_t *found = s->queue + s->count;
    uint64_t n = reach(j, l, s->queue, s->count, depth, found);
    n += reach(j, l, j->halo.arrived, j->halo.arrived_count, depth, found + n);
    s->queue = found;
    s->count = n;
}

/* For words `begin` up to `stop` of the bits of busy vertices. */
HOT static uint64_t look_up_for(const struct lists *l, uint32_t begin, uint32_t stop, uint32_t busy,
                                const uint64_t *restrict frontier, uint64_t *restrict reached, uint64_t *restrict next,
                                uint32_t *restrict depths, uint32_t depth)
{
    uint64_t n = 0;
    const uint64_t *restrict ptr = l->ptr;
    const uint32_t *restrict to = l->to;
    for (uint32_t w = begin; w < stop; w++) {
        uint64_t hits = 0, lone = busy - w * 64 < 64 ? ~(uint64_t)0 << (busy - w * 64) : 0;
        for (uint64_t left = ~(reached[w] | lone); left; left &= left - 1) {
            uint32_t v = w * 64 + (uint32_t)__builtin_ctzll(left);
            for (uint64_t at = ptr[v], end = ptr[v + 1]; at < end; at++) {
                if (!bit_get(frontier, to[at])) continue;
                depths[v] = depth;
                hits |= left & -left;
                break;
            }
        }
        next[w] = hits;
        reached[w] |= hits;
        n += (uint64_t)__builtin_popcountll(hits);
    }
    return n;
}

static uint64_t look_up_to_frontier(const struct lists *l, uint32_t busy, const uint64_t *frontier, uint64_t *reached,
                                    uint64_t *next, uint32_t *depths, uint32_t depth)
{
    uint32_t words = (uint32_t)words_for(busy), piece = team_piece(words);
    uint64_t n = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : n) if (words > piece)
    for (uint32_t w = 0; w < words; w += piece)
        n += look_up_for(l, w, words - w < piece ? words : w + piece, busy, frontier, reached, next, depths, depth);
    return n;
}

static uint64_t list_bits(const uint64_t *bits, uint32_t words, uint32_t *list)
{
    uint64_t n = 0;
    for (uint32_t w = 0; w < words; w++)
        for (uint64_t left = bits[w]; left; left &= left - 1) list[n++] = w * 64 + (uint32_t)__builtin_ctzll(left);
    return n;
}

static void mark(uint64_t *bits, const uint32_t *list, uint64_t count)
{
    for (uint64_t k = 0; k < count; k++) bit_set(bits, list[k]);
}

/* The queue may be without them where nobody asks for it: on one rank, as long as levels go bottom-up. */
static void bottom_up(struct job *j, uint32_t depth)
{
    const struct graph *g = j->graph;
    struct search *s = j->state;
    s->count = look_up_to_frontier(&g->in, g->busy, s->frontier, s->reached, s->next, j->depth, depth);
    if (g->net->ranks > 1) list_bits(s->next, (uint32_t)words_for(g->busy), s->queue);
}

static void plant_source(struct job *j)
{
    const struct graph *g = j->graph;
    struct search *s = j->state;
    memset(s->reached, 0, words_for(g->own) * 8);
    for (uint32_t v = 0; v < g->own; v++) j->depth[v] = NO_INDEX;
    s->queue = s->order;
    s->count = g->net->rank == j->source_rank;
    if (s->count == 0) return;
    s->queue[0] = j->source;
    j->depth[j->source] = 0;
    bit_set(s->reached, j->source);
}

/* The frontier as bits of all indices, for the next level to be searched bottom-up. */
static void spread_bits(struct job *j, int from_queue)
{
    const struct graph *g = j->graph;
    struct search *s = j->state;
    size_t own = words_for(g->own);
    if (from_queue) {
        memset(s->frontier, 0, own * 8);
        mark(s->frontier, s->queue, s->count);
    } else {
        memcpy(s->frontier, s->next, words_for(g->busy) * 8);
    }
    memset(s->frontier + own, 0, (words_for(g->all) - own) * 8);
    mark(s->frontier, j->halo.arrived, j->halo.arrived_count);
}

static uint64_t ends_of(const struct job *j)
{
    const struct search *s = j->state;
    uint64_t ends = 0;
    for (uint64_t k = 0; k < s->count; k++) ends += degree_of(&j->graph->out, s->queue[k]);
    return ends;
}

static void run(struct job *j)
{
    const struct graph *g = j->graph;
    struct search *s = j->state;
    uint64_t ends_left = s->ends;
    uint32_t depth = 0;
    int upwards = 0, peaked = 0;
    superstep_begins(j, 0);
    plant_source(j);
    for (;;) {
        phase_ends(j, COMPUTE);
        halo_spread(&j->halo, s->queue, s->count, NULL, 0);
        phase_ends(j, EXCHANGE);
        uint64_t sums[2] = {s->count, upwards || peaked ? 0 : ends_of(j)};
        net_sum(g->net, sums, 2);
        phase_ends(j, SYNCHRONISE);
        if (sums[0] == 0) break;
        superstep_begins(j, ++depth);
        int was_upwards = upwards;
        upwards = upwards ? sums[0] * BETA >= g->vertices : !peaked && sums[1] * ALPHA > ends_left;
        peaked |= upwards;
        ends_left -= sums[1] < ends_left ? sums[1] : ends_left;
        if (upwards) {
            spread_bits(j, !was_upwards);
            s->queue += was_upwards && g->net->ranks == 1 ? 0 : s->count;
            bottom_up(j, depth);
        } else {
            if (was_upwards && g->net->ranks == 1) list_bits(s->next, (uint32_t)words_for(g->busy), s->queue);
            top_down(j, depth);
        }
    }
    j->supersteps = depth;
}

const struct algorithm bfs = {.name = "bfs", .kind = HOPS, .needs_source = 1, .open = open, .run = run, .close = close};
