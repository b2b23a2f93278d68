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

#include "hot.h"
#include "job.h"
#include "memory.h"
#include "shuffle.h"
#include "table.h"

enum { BATCH = 1 << 20 }; /* words that a rank sends in a superstep, but for the last list */

struct clustering {
    uint64_t *order;       /* per index: place in the order */
    uint64_t *ptr;         /* per own vertex: */
    uint32_t *to;          /* neighbours before it, indices shifted left, lowest bit: edges both ways */
    uint32_t *width;       /* per own vertex: neighbours in all */
    uint64_t *gain;        /* per index */
    uint8_t *joined;       /* per index: edges to the vertex in hand */
    uint32_t *list;        /* that vertex's neighbours before it, as in `to` */
    struct table index_of; /* places of ghosts in the order to indices */
    uint32_t *first;       /* per rank: place of its first vertex */
};

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
    halo_fill(&j->halo, c->order, sizeof *c->order);
}

/* The next of two ascending lists: an index with its edges, 1 or 2; 0 at their end. */
static inline uint32_t next_of_both(const struct lists *in, const struct lists *out, uint64_t *i, uint64_t i_end,
                                    uint64_t *o, uint64_t o_end, uint32_t *index)
{
    uint32_t a = *i < i_end ? in->to[*i] : NO_INDEX, b = *o < o_end ? out->to[*o] : NO_INDEX;
    *index = a < b ? a : b;
    *i += a <= b;
    *o += b <= a;
    return *index == NO_INDEX ? 0 : 1 + (a == b);
}

/* Those before v into `to`; the number of all. Undirected, both lists are the same, so every edge counts twice. */
static uint32_t keep_earlier(const struct graph *g, const uint64_t *order, uint32_t v, uint32_t *to, uint64_t *kept)
{
    uint64_t i = g->in.ptr[v], i_end = g->in.ptr[v + 1], o = g->out.ptr[v], o_end = g->out.ptr[v + 1];
    uint32_t all = 0, u, edges;
    while ((edges = next_of_both(&g->in, &g->out, &i, i_end, &o, o_end, &u))) {
        to[*kept] = u << 1 | (edges - 1);
        *kept += order[u] < order[v];
        all++;
    }
    return all;
}

static void build_lists(struct job *j)
{
    const struct graph *g = j->graph;
    struct clustering *c = j->state;
    uint64_t kept = 0, room = g->in.ptr[g->own] + (g->directed ? g->out.ptr[g->own] : 0);
    c->to = take((room + 16) * sizeof *c->to);
    for (uint32_t v = 0; v < g->own; v++) {
        c->ptr[v] = kept;
        c->width[v] = keep_earlier(g, c->order, v, c->to, &kept);
    }
    c->ptr[g->own] = kept;
    memset(c->to + kept, 0, 16 * sizeof *c->to);
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

/* Triangles whose last vertex is v and whose middle one is own. */
static void find_triangles(struct clustering *c, uint32_t own, uint32_t v, const uint32_t *list, uint32_t count)
{
    uint64_t gain = 0;
    for (uint32_t k = 0; k < count; k++) c->joined[list[k] >> 1] = (uint8_t)(1 + (list[k] & 1));
    for (uint32_t k = 0; k < count; k++) {
        uint32_t u = list[k] >> 1, edges = 1 + (list[k] & 1);
        if (u >= own) continue;
        uint64_t middle = 0;
        for (uint64_t at = c->ptr[u], end = c->ptr[u + 1]; at < end; at++) {
            uint32_t w = c->to[at] >> 1, hit = c->joined[w];
            if (!hit) continue;
            gain += 1 + (c->to[at] & 1);
            middle += hit;
            c->gain[w] += edges;
        }
        c->gain[u] += middle;
    }
    c->gain[v] += gain;
    for (uint32_t k = 0; k < count; k++) c->joined[list[k] >> 1] = 0;
}

/* Words for one rank in the making: of a list, the place of its vertex, its length, and its entries as two words each
   where directions count, else one. */
struct outbox {
    uint32_t *words;
    uint64_t count, room;
};

static int rank_of_ghost(const struct graph *g, uint32_t v)
{
    int low = 0, high = g->net->ranks;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (g->ghost_start[middle] <= v) low = middle;
        else high = middle;
    }
    return low;
}

static void send_list(const struct graph *g, const struct clustering *c, uint32_t v, struct outbox *box)
{
    uint64_t count = c->ptr[v + 1] - c->ptr[v], words = 2 + count * (g->directed ? 2 : 1);
    if (box->count + words > box->room) {
        uint64_t room = (box->count + words) * 2;
        box->words = take_more(box->words, box->count * sizeof *box->words, room * sizeof *box->words);
        box->room = room;
    }
    uint32_t *to = box->words + box->count;
    *to++ = (uint32_t)c->order[v];
    *to++ = (uint32_t)count;
    for (uint64_t at = c->ptr[v]; at < c->ptr[v + 1]; at++) {
        *to++ = (uint32_t)c->order[c->to[at] >> 1];
        if (g->directed) *to++ = c->to[at] & 1;
    }
    box->count += words;
}

static void read_lists(struct job *j, const uint32_t *words, uint64_t count)
{
    const struct graph *g = j->graph;
    struct clustering *c = j->state;
    for (const uint32_t *end = words + count; words < end;) {
        uint32_t v = index_of(g, c, words[0]), length = words[1], known = 0;
        words += 2;
        for (uint32_t k = 0; k < length; k++) {
            uint32_t u = index_of(g, c, *words++), both = g->directed ? *words++ : 1;
            c->list[known] = u << 1 | both;
            known += u != NO_INDEX;
        }
        find_triangles(c, g->own, v, c->list, known);
    }
}

/* Each list to the other ranks that own some of it, and through here for own vertices of it; returns the next vertex.
 */
static uint32_t fill_boxes(struct job *j, uint32_t v, struct outbox *box)
{
    const struct graph *g = j->graph;
    struct clustering *c = j->state;
    int ranks = g->net->ranks, last_to[ranks];
    uint64_t words = 0;
    memset(last_to, 0, sizeof last_to);
    for (; v < g->busy && words < BATCH; v++) {
        uint32_t count = (uint32_t)(c->ptr[v + 1] - c->ptr[v]), here = 0;
        const uint32_t *list = c->to + c->ptr[v];
        uint8_t sent[ranks];
        memset(sent, 0, sizeof sent);
        for (uint32_t k = 0; k < count; k++) {
            uint32_t u = list[k] >> 1;
            here |= u < g->own;
            if (u < g->own || count < 2) continue;
            int rank = rank_of_ghost(g, u);
            if (sent[rank]) continue;
            sent[rank] = 1;
            send_list(g, c, v, &box[rank]);
            words += count + 2;
        }
        if (here && count > 1) find_triangles(c, g->own, v, list, count);
    }
    return v;
}

static struct shuffled send_boxes(struct net *net, struct outbox *box)
{
    uint64_t counts[net->ranks], all = 0;
    for (int r = 0; r < net->ranks; r++) all += counts[r] = box[r].count;
    uint32_t *words = take((all + 1) * sizeof *words), *to = words;
    for (int r = 0; r < net->ranks; to += box[r++].count) {
        if (box[r].count) memcpy(to, box[r].words, box[r].count * sizeof *words);
    }
    for (int r = 0; r < net->ranks; r++) box[r].count = 0;
    struct shuffled came = shuffle(net, words, counts, sizeof *words);
    free(words);
    return came;
}

static void open(struct job *j)
{
    const struct graph *g = j->graph;
    struct clustering *c = j->state = take_zero(sizeof *c);
    size_t all = (size_t)g->all + 1, own = (size_t)g->own + 1;
    c->order = take_zero(all * sizeof *c->order);
    c->ptr = take(own * sizeof *c->ptr);
    c->width = take(own * sizeof *c->width);
    c->gain = take(all * sizeof *c->gain);
    c->joined = take_zero(all);
    c->list = take((all + 16) * sizeof *c->list);
    c->first = take_zero(((size_t)g->net->ranks + 1) * sizeof *c->first);
    for (int r = 0; r < g->net->ranks; r++) c->first[r + 1] = c->first[r] + g->own_of[r];
    j->real = take(own * sizeof *j->real);
}

static void close(struct job *j)
{
    struct clustering *c = j->state;
    free(c->order);
    free(c->ptr);
    free(c->to);
    free(c->width);
    free(c->gain);
    free(c->joined);
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
        j->real[v] = width < 2 ? 0 : (double)c->gain[v] / (width * (width - 1));
    }
}

static void run(struct job *j)
{
    const struct graph *g = j->graph;
    struct clustering *c = j->state;
    struct outbox box[g->net->ranks];
    uint64_t superstep = 0, more = 1;
    superstep_begins(j, 0);
    memset(c->gain, 0, ((size_t)g->all + 1) * sizeof *c->gain);
    memset(box, 0, sizeof box);
    put_in_order(j);
    free(c->to);
    build_lists(j);
    name_ghosts(g, c);
    phase_ends(j, COMPUTE);
    for (uint32_t v = 0; more;) {
        superstep_begins(j, ++superstep);
        v = fill_boxes(j, v, box);
        phase_ends(j, COMPUTE);
        struct shuffled came = send_boxes(g->net, box);
        phase_ends(j, EXCHANGE);
        more = v < g->busy;
        net_max(g->net, &more, 1);
        phase_ends(j, SYNCHRONISE);
        superstep_begins(j, ++superstep);
        read_lists(j, came.data, came.total);
        shuffled_free(&came);
        phase_ends(j, COMPUTE);
    }
    superstep_begins(j, ++superstep);
    halo_collect(&j->halo, c->gain);
    phase_ends(j, EXCHANGE);
    superstep_begins(j, ++superstep);
    divide(j);
    phase_ends(j, COMPUTE);
    for (int r = 0; r < g->net->ranks; r++) free(box[r].words);
    j->supersteps = superstep + 1;
}

const struct algorithm lcc = {.name = "lcc", .kind = REALS, .open = open, .run = run, .close = close};
