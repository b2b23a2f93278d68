/* Local clustering coefficient: of the pairs of a vertex's neighbours, coming or going, how many edges join them.

   Directions are dropped first: two vertices are joined once, with one edge or both. Vertices stand in one order, by
   falling degree; each keeps the neighbours that come before it. A triangle v, u, w, its last vertex first, is found at
   the owner of u, which is told the list of v: every w of u's own list that is in it. For each, v gains the number of
   edges between u and w, u that between v and w, and w that between v and u. Where copies gain, owners get it in the
   end.

   Sources: Graphalytics' definition; order by degree, T. Schank, D. Wagner, "Finding, counting and listing all
   triangles in large graphs", WEA'05; lists that go to the owners of neighbours, S. Arifuzzaman, M. Khan, M. Marathe,
   "PATRIC", CIKM'13. */
#include <stdlib.h>
#include <string.h>

#include "job.h"
#include "memory.h"
#include "neighbours.h"
#include "outbox.h"
#include "table.h"
#include "team.h"
#include "triangles.h"

enum {
    BATCH = 1 << 20, /* words that a rank sends in a superstep, but for the last list */
    VERTICES_IN_PIECE = 64,
    WORDS_IN_PIECE = 1 << 10,
};

struct clustering {
    uint64_t *order; /* per index: place in the order; lower half: a number that goes through all ranks' vertices */
    uint32_t *width; /* per own vertex: neighbours in all */
    uint32_t *list;  /* per thread: a list that came, as in triangles.to */
    struct table index_of; /* numbers of ghosts to indices */
    uint32_t *first;       /* per rank: number of its first vertex */
    struct triangles triangles;
};

static size_t room_of_list(const struct graph *g) { return (size_t)g->all + 16; }

/* Falling degree, then the number that goes through all ranks' vertices. */
static void put_in_order(struct job *j)
{
    const struct graph *g = j->graph;
    struct clustering *c = j->state;
    for (uint32_t v = 0; v < g->own; v++) {
        uint64_t degree = degree_of(&g->in, v) + (g->directed ? degree_of(&g->out, v) : 0);
        if (degree > UINT32_MAX) degree = UINT32_MAX;
        c->order[v] = (UINT32_MAX - degree) << 32 | (c->first[g->net->rank] + v);
    }
    phase_ends(j, COMPUTE);
    halo_fill(&j->halo, c->order, sizeof *c->order);
    phase_ends(j, EXCHANGE);
}

static void build_lists(struct job *j)
{
    const struct graph *g = j->graph;
    struct clustering *c = j->state;
    struct triangles *t = &c->triangles;
    uint64_t kept = 0;
    for (uint32_t v = 0; v < g->own; v++) {
        t->ptr[v] = kept;
        c->width[v] = neighbours_before(g, c->order, v, t->to, &kept);
    }
    t->ptr[g->own] = kept;
}

/* The first in the order: own vertices and each group of ghosts stand in it already. */
static void choose_hubs(const struct graph *g, struct clustering *c)
{
    int groups = g->net->ranks + 1;
    uint32_t next[groups], end[groups];
    struct triangles *t = &c->triangles;
    next[groups - 1] = 0;
    end[groups - 1] = g->own;
    for (int r = 0; r < g->net->ranks; r++) {
        next[r] = g->ghost_start[r];
        end[r] = g->ghost_start[r] + g->ghost_count[r];
    }
    for (t->hub_count = 0; t->hub_count < HUBS; t->hub_count++) {
        int best = -1;
        for (int r = 0; r < groups; r++)
            if (next[r] < end[r] && (best < 0 || c->order[next[r]] < c->order[next[best]])) best = r;
        if (best < 0) return;
        t->hub[t->hub_count] = next[best]++;
    }
}

static void name_ghosts(const struct graph *g, struct clustering *c)
{
    table_free(&c->index_of);
    table_open(&c->index_of, g->all - g->ghosts_from);
    for (int r = 0; r < g->net->ranks; r++)
        for (uint32_t v = g->ghost_start[r]; v < g->ghost_start[r] + g->ghost_count[r]; v++) {
            uint64_t place = (uint32_t)c->order[v];
            table_put(&c->index_of, table_find(&c->index_of, place, id_hash(place)), place, v);
        }
}

/* NO_INDEX for a vertex that no own one is joined to. */
static uint32_t index_of(const struct graph *g, const struct clustering *c, uint32_t place)
{
    uint32_t own = place - c->first[g->net->rank];
    if (own < g->own) return own;
    const struct slot *s = table_find(&c->index_of, place, id_hash(place));
    return s->id == NO_ID ? NO_INDEX : s->number;
}

/* The place of its vertex, its length, and its entries as two words each where directions count, else one. */
static void send_list(const struct graph *g, const struct clustering *c, uint32_t v, struct outbox *box)
{
    const struct triangles *t = &c->triangles;
    uint64_t count = t->ptr[v + 1] - t->ptr[v];
    uint32_t *to = outbox_add(box, 2 + count * (g->directed ? 2 : 1));
    *to++ = (uint32_t)c->order[v];
    *to++ = (uint32_t)count;
    for (uint64_t at = t->ptr[v]; at < t->ptr[v + 1]; at++) {
        *to++ = (uint32_t)c->order[t->to[at] >> 1];
        if (g->directed) *to++ = t->to[at] & 1;
    }
}

static void read_lists(const struct graph *g, const struct clustering *c, const uint32_t *words, const uint32_t *end)
{
    uint32_t *list = c->list + (size_t)team_place() * room_of_list(g);
    while (words < end) {
        uint32_t v = index_of(g, c, words[0]), length = words[1], known = 0;
        words += 2;
        for (uint32_t k = 0; k < length; k++) {
            uint32_t u = index_of(g, c, *words++), both = g->directed ? *words++ : 1;
            list[known] = u << 1 | both;
            known += u != NO_INDEX;
        }
        triangles_find(&c->triangles, team_place(), v, list, known);
    }
}

/* Threads take some lists each. */
static void read_all_lists(struct job *j, const uint32_t *words, uint64_t count)
{
    const struct graph *g = j->graph;
    const struct clustering *c = j->state;
    const uint32_t *end = words + count;
#pragma omp parallel if (team_size() > 1)
#pragma omp single
    while (words < end) {
        const uint32_t *from = words;
        while (words < end && words - from < WORDS_IN_PIECE) words += 2 + words[1] * (g->directed ? 2 : 1);
        const uint32_t *to = words;
#pragma omp task firstprivate(from, to)
        read_lists(g, c, from, to);
    }
}

/* Lists of own vertices that have own vertices: those stand first. */
static void find_here(const struct graph *g, const struct clustering *c, uint32_t begin, uint32_t stop)
{
    const struct triangles *t = &c->triangles;
#pragma omp parallel for schedule(dynamic, VERTICES_IN_PIECE) if (team_size() > 1)
    for (uint32_t v = begin; v < stop; v++) {
        const uint32_t *list = t->to + t->ptr[v];
        uint32_t count = (uint32_t)(t->ptr[v + 1] - t->ptr[v]);
        if (count > 1 && *list >> 1 < g->own) triangles_find(t, team_place(), v, list, count);
    }
}

/* Each list to the other ranks that own some of it; returns the next vertex. */
static uint32_t fill_boxes(struct job *j, uint32_t v, struct outbox *box)
{
    const struct graph *g = j->graph;
    struct clustering *c = j->state;
    int ranks = g->net->ranks, last_to[ranks];
    uint64_t words = 0;
    memset(last_to, 0, sizeof last_to);
    for (; v < g->busy && words < BATCH; v++) {
        const struct triangles *t = &c->triangles;
        uint32_t count = (uint32_t)(t->ptr[v + 1] - t->ptr[v]);
        const uint32_t *list = t->to + t->ptr[v];
        uint8_t sent[ranks];
        memset(sent, 0, sizeof sent);
        for (uint32_t k = 0; k < count; k++) {
            uint32_t u = list[k] >> 1;
            if (u < g->own || count < 2) continue;
            int rank = rank_holding(g->ghost_start, g->net->ranks, u);
            if (sent[rank]) continue;
            sent[rank] = 1;
            send_list(g, c, v, &box[rank]);
            words += count + 2;
        }
    }
    return v;
}

static void open(struct job *j)
{
    const struct graph *g = j->graph;
    struct clustering *c = j->state = take_zero(sizeof *c);
    size_t all = (size_t)g->all + 1, own = (size_t)g->own + 1;
    c->order = take_zero(all * sizeof *c->order);
    c->width = take(own * sizeof *c->width);
    c->list = take(room_of_list(g) * (size_t)team_size() * sizeof *c->list);
    c->first = take_zero(((size_t)g->net->ranks + 1) * sizeof *c->first);
    for (int r = 0; r < g->net->ranks; r++) c->first[r + 1] = c->first[r] + g->own_of[r];
    j->real = take(own * sizeof *j->real);
    uint64_t entries = g->in.ptr[g->own] + (g->directed ? g->out.ptr[g->own] : 0);
    triangles_open(&c->triangles, g->own, g->all, entries, g->directed, team_size());
}

static void close(struct job *j)
{
    struct clustering *c = j->state;
    free(c->order);
    free(c->width);
    triangles_close(&c->triangles);
    free(c->list);
    free(c->first);
    table_free(&c->index_of);
    free(c);
    free(j->real);
}

static void divide(struct job *j)
{
    struct clustering *c = j->state;
    for (uint32_t v = 0; v < j->graph->own; v++) {
        double width = c->width[v];
        j->real[v] = width < 2 ? 0 : (double)c->triangles.gain[v] / (width * (width - 1));
    }
}

static void run(struct job *j)
{
    const struct graph *g = j->graph;
    struct clustering *c = j->state;
    struct outbox box[g->net->ranks];
    uint64_t superstep = 0, more = 1;
    superstep_begins(j, 0);
    memset(box, 0, sizeof box);
    put_in_order(j);
    superstep_begins(j, ++superstep);
    build_lists(j);
    name_ghosts(g, c);
    choose_hubs(g, c);
    triangles_begin(&c->triangles, g->all);
    phase_ends(j, COMPUTE);
    for (uint32_t v = 0, from; more;) {
        superstep_begins(j, ++superstep);
        from = v;
        v = g->net->ranks == 1 ? g->busy : fill_boxes(j, v, box);
        find_here(g, c, from, v);
        phase_ends(j, COMPUTE);
        struct shuffled came = outboxes_send(g->net, box);
        phase_ends(j, EXCHANGE);
        more = v < g->busy;
        net_max(g->net, &more, 1);
        phase_ends(j, SYNCHRONISE);
        superstep_begins(j, ++superstep);
        read_all_lists(j, came.data, came.total);
        shuffled_free(&came);
        phase_ends(j, COMPUTE);
    }
    superstep_begins(j, ++superstep);
    triangles_end(&c->triangles, g->all);
    phase_ends(j, COMPUTE);
    halo_collect(&j->halo, c->triangles.gain);
    phase_ends(j, EXCHANGE);
    superstep_begins(j, ++superstep);
    divide(j);
    phase_ends(j, COMPUTE);
    for (int r = 0; r < g->net->ranks; r++) free(box[r].words);
    j->supersteps = superstep + 1;
}

const struct algorithm lcc =
    {.name = "lcc", .kind = REALS, .thread_bytes = 17, .open = open, .run = run, .close = close};
