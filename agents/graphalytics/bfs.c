/* Breadth-first search by levels, top-down or bottom-up.

   A level's frontier is told to all ranks that have copies of its vertices; each then goes, top-down, from every vertex
   of the frontier, own or ghost, to own neighbours, or, bottom-up, from every own vertex that was not reached to the
   first neighbour in the frontier. Nothing is sent but the frontier and, in the same messages, a number of each rank by
   which all take the same direction. A vertex whose one edge led to it leads nowhere: it is in no frontier.

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
    uint64_t *frontier; /* any index; own ones where `as` says so */
    uint64_t *next;     /* the same, of the level that is searched bottom-up */
    uint32_t *order;    /* frontiers' own vertices, a level behind the other */
    uint32_t *queue;    /* in it, those of the frontier where `as` says so */
    uint64_t count;     /* own vertices in the frontier */
    int as;             /* AS_LIST, AS_BITS or both: how they are there */
    uint32_t inner;     /* own vertices below may be in a frontier */
    uint32_t *likely;   /* per own vertex: the neighbour that it is looked up at first */
    uint64_t ends;      /* of the whole graph */
};

/* Indices that lead to most own vertices first. */
static uint32_t *order_by_reach(const struct graph *g)
{
    uint64_t most = 0;
    uint32_t size = g->net->ranks > 1 ? g->all : g->own;
    uint32_t *order = take(((size_t)size + 1) * sizeof *order);
    for (uint32_t u = 0; u < size; u++)
        if (degree_of(&g->spread, u) > most) most = degree_of(&g->spread, u);
    uint32_t *next = take_zero(((size_t)most + 2) * sizeof *next);
    for (uint32_t u = 0; u < size; u++) next[most - degree_of(&g->spread, u) + 1]++;
    for (uint64_t d = 0; d < most; d++) next[d + 1] += next[d];
    for (uint32_t u = 0; u < size; u++) order[next[most - degree_of(&g->spread, u)]++] = u;
    free(next);
    return order;
}

/* Of each own vertex the likeliest parent; of one that no edge leads to an index that is in no frontier. */
static void find_likely(const struct graph *g, uint32_t *likely)
{
    uint32_t left = 0, *order = order_by_reach(g);
    for (uint32_t v = 0; v < g->own; v++) {
        likely[v] = g->all;
        left += degree_of(&g->in, v) > 0;
    }
    for (uint32_t k = 0; left > 0; k++)
        for (uint64_t at = g->spread.ptr[order[k]], end = g->spread.ptr[order[k] + 1]; at < end; at++) {
            uint32_t *of = &likely[g->spread.to[at]];
            left -= *of == g->all;
            if (*of == g->all) *of = order[k];
        }
    free(order);
}

static void open(struct job *j)
{
    const struct graph *g = j->graph;
    struct search *s = j->state = take_zero(sizeof *s);
    s->reached = take((words_for(g->own) + 1) * sizeof(uint64_t));
    s->frontier = take_zero((words_for(g->all) + 1) * sizeof(uint64_t));
    s->next = take_zero((words_for(g->all) + 1) * sizeof(uint64_t));
    s->order = take(((size_t)g->own + 1) * sizeof *s->order);
    s->ends = g->out.ptr[g->own];
    net_sum(g->net, &s->ends, 1);
    j->depth = take(((size_t)g->own + 1) * sizeof *j->depth);
    s->inner = g->busy;
    while (!g->directed && s->inner > 0 && degree_of(&g->out, s->inner - 1) == 1) s->inner--;
    s->likely = take(((size_t)g->own + 1) * sizeof *s->likely);
    find_likely(g, s->likely);
}

static void close(struct job *j)
{
    struct search *s = j->state;
    free(s->reached);
    free(s->frontier);
    free(s->next);
    free(s->order);
    free(s->likely);
    free(s);
    free(j->depth);
}

/* Of two threads that come to a vertex one has it. Returns how many for the next frontier were found, in no order. */
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
        for (uint64_t k = 0; k < count; k++) {
            uint32_t u = take_next(l, from, k, count);
            for (uint64_t at = l->ptr[u], end = l->ptr[u + 1]; at < end; at++) {
                uint32_t v = l->to[at];
                uint64_t bit = (uint64_t)1 << (v % 64), *word = &s->reached[v / 64];
                if (__atomic_load_n(word, __ATOMIC_RELAXED) & bit) continue;
                if (__atomic_fetch_or(word, bit, __ATOMIC_RELAXED) & bit) continue;
                j->depth[v] = depth;
                mine[have] = v;
                have += v < s->inner;
                if (have < FOUND_AT_ONCE) continue;
                memcpy(found + __atomic_fetch_add(&n, have, __ATOMIC_RELAXED), mine, sizeof mine);
                have = 0;
            }
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
    for (uint64_t k = 0; k < count; k++) {
        uint32_t u = take_next(l, from, k, count);
        for (uint64_t at = l->ptr[u], end = l->ptr[u + 1]; at < end; at++) {
            uint32_t v = l->to[at];
            if (bit_get(s->reached, v)) continue;
            bit_set(s->reached, v);
            j->depth[v] = depth;
            found[n] = v;
            n += v < s->inner;
        }
    }
    return n;
}

static void mark(uint64_t *bits, const uint32_t *list, uint64_t count)
{
    for (uint64_t k = 0; k < count; k++) bit_set(bits, list[k]);
}

static void list_bits(const uint64_t *bits, uint32_t words, uint32_t *list)
{
    for (uint32_t w = 0; w < words; w++)
        for (uint64_t left = bits[w]; left; left &= left - 1) *list++ = w * 64 + (uint32_t)__builtin_ctzll(left);
}

/* The frontier's own vertices as is asked for; `as` is AS_LIST, AS_BITS, both or neither. */
static void have_frontier(const struct graph *g, struct search *s, int as)
{
    if (as & ~s->as & AS_BITS) {
        memset(s->frontier, 0, words_for(g->own) * sizeof *s->frontier);
        mark(s->frontier, s->queue, s->count);
    }
    if (as & ~s->as & AS_LIST) list_bits(s->frontier, (uint32_t)words_for(g->busy), s->queue);
    s->as |= as;
}

static void set_frontier(struct search *s, uint32_t *queue, uint64_t count, int as)
{
    s->queue = queue;
    s->count = count;
    s->as = as;
}

/* From the frontier, own part and ghosts, to what is new. */
static void top_down(struct job *j, uint32_t depth)
{
    struct search *s = j->state;
    const struct lists *l = &j->graph->spread;
    have_frontier(j->graph, s, AS_LIST);
    halo_take_list(&j->halo);
    uint32_t *found = s->queue + s->count;
    uint64_t n = reach(j, l, s->queue, s->count, depth, found);
    n += reach(j, l, j->halo.arrived, j->halo.arrived_count, depth, found + n);
    set_frontier(s, found, n, AS_LIST);
}

/* For words `begin` up to `stop` of the bits of busy vertices. Nine of ten find their likeliest parent in the frontier,
   so all are asked for that first, without a branch. Depths of vertices that are not found are written again later. */
HOT static uint64_t look_up_for(const struct lists *l, const struct search *s, uint32_t begin, uint32_t stop,
                                uint32_t busy, uint32_t *restrict depths, uint32_t depth)
{
    uint64_t n = 0, *restrict reached = s->reached, *restrict next = s->next;
    const uint64_t *restrict ptr = l->ptr, *restrict frontier = s->frontier;
    const uint32_t *restrict to = l->to, *restrict likely = s->likely;
    for (uint32_t w = begin; w < stop; w++) {
        uint64_t hits = 0, all = ~reached[w] & bits_below(busy, w), may_lead = bits_below(s->inner, w);
        for (uint64_t left = all; left; left &= left - 1) {
            uint32_t v = w * 64 + (uint32_t)__builtin_ctzll(left);
            depths[v] = depth;
            hits |= (left & -left) & -(uint64_t)bit_get(frontier, likely[v]);
        }
        for (uint64_t left = all & ~hits & may_lead; left; left &= left - 1) {
            uint32_t v = w * 64 + (uint32_t)__builtin_ctzll(left);
            uint64_t at = ptr[v], end = ptr[v + 1];
            while (at < end && !bit_get(frontier, to[at])) at++;
            hits |= at < end ? left & -left : 0;
        }
        reached[w] |= hits;
        next[w] = hits & may_lead;
        n += (uint64_t)__builtin_popcountll(next[w]);
    }
    return n;
}

static void bottom_up(struct job *j, uint32_t depth)
{
    const struct graph *g = j->graph;
    struct search *s = j->state;
    uint32_t words = (uint32_t)words_for(g->busy), piece = team_piece(words);
    uint64_t n = 0, *looked = s->frontier;
    have_frontier(g, s, AS_BITS);
    halo_take_bits(&j->halo, looked);
#pragma omp parallel for schedule(dynamic) reduction(+ : n) if (words > piece)
    for (uint32_t w = 0; w < words; w += piece)
        n += look_up_for(&g->in, s, w, words - w < piece ? words : w + piece, g->busy, j->depth, depth);
    s->frontier = s->next;
    s->next = looked;
    set_frontier(s, s->queue + (s->as & AS_LIST ? s->count : 0), n, AS_BITS);
}

static void plant_source(struct job *j)
{
    const struct graph *g = j->graph;
    struct search *s = j->state;
    memset(s->reached, 0, words_for(g->own) * sizeof *s->reached);
    set_frontier(s, s->order, g->net->rank == j->source_rank, AS_LIST);
    if (s->count == 0) return;
    s->queue[0] = j->source;
    j->depth[j->source] = 0;
    bit_set(s->reached, j->source);
}

static void leave_rest(struct job *j)
{
    const struct graph *g = j->graph;
    const struct search *s = j->state;
    uint32_t words = (uint32_t)words_for(g->busy);
    for (uint32_t w = 0; w < words; w++)
        for (uint64_t left = ~s->reached[w] & bits_below(g->busy, w); left; left &= left - 1)
            j->depth[w * 64 + (uint32_t)__builtin_ctzll(left)] = NO_INDEX;
    for (uint32_t v = g->busy; v < g->own; v++)
        if (!bit_get(s->reached, v)) j->depth[v] = NO_INDEX;
}

/* Tells the frontier. Returns its vertices on all ranks, before the search went bottom-up with the ends of their edges;
   0: there is none. */
static uint64_t tell(struct job *j, int with_ends, int only)
{
    const struct graph *g = j->graph;
    struct search *s = j->state;
    uint64_t number = s->count;
    for (uint64_t k = 0; k < s->count && with_ends; k++) number += degree_of(&g->out, s->queue[k]);
    have_frontier(g, s, halo_needs(&j->halo, s->count));
    phase_ends(j, COMPUTE);
    number = halo_tell(&j->halo, (struct own_set){s->queue, s->frontier, s->count}, number, only);
    phase_ends(j, EXCHANGE);
    return number;
}

static void run(struct job *j)
{
    const struct graph *g = j->graph;
    struct search *s = j->state;
    uint64_t ends_left = s->ends, number;
    uint32_t depth = 0;
    int upwards = 0, peaked = 0;
    superstep_begins(j, 0);
    plant_source(j);
    while ((number = tell(j, !peaked, depth == 0 ? j->source_rank : EVERY_RANK)) > 0) {
        superstep_begins(j, ++depth);
        upwards = upwards ? number * BETA >= g->vertices : !peaked && number * ALPHA > ends_left;
        peaked |= upwards;
        ends_left -= number < ends_left ? number : ends_left;
        if (upwards) bottom_up(j, depth);
        else top_down(j, depth);
    }
    leave_rest(j);
    j->supersteps = depth;
}

const struct algorithm bfs = {.name = "bfs", .kind = HOPS, .needs_source = 1, .open = open, .run = run, .close = close};
