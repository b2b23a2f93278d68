/* The edge file: every thread of every rank parses its lines. One rank keeps its edges at once; several send each to
   the owners of its ends, in rounds. Who gets one looks its ids up, so that an edge takes eight bytes from then on, or
   sixteen with its weight. */
#include "edges.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "edge-lines.h"
#include "load.h"
#include "memory.h"
#include "shuffle.h"
#include "team.h"

enum { EDGES_AHEAD = 32, ROUND = 1 << 16 };

static void list_make_room(struct edge_list *l, uint32_t more)
{
    if (l->count + more <= l->room) return;
    uint32_t room = l->count * 2 + more;
    l->chunks = take_more(l->chunks, l->count * sizeof *l->chunks, room * sizeof *l->chunks);
    l->room = room;
}

static void add_chunk(struct edge_list *l)
{
    list_make_room(l, 1);
    uint32_t *numbers = take(2 * (size_t)CHUNK * sizeof *numbers);
    l->chunks[l->count++] = (struct edge_chunk){.tail = numbers,
                                                .head = numbers + CHUNK,
                                                .weight = l->weighted ? take(CHUNK * sizeof(double)) : NULL};
}

void edge_list_free(struct edge_list *l)
{
    for (uint32_t c = 0; c < l->count; c++) {
        free(l->chunks[c].tail);
        free(l->chunks[c].weight);
    }
    free(l->chunks);
    *l = (struct edge_list){0};
}

/* Takes the chunks of another list. */
static void edge_list_join(struct edge_list *l, struct edge_list *other)
{
    list_make_room(l, other->count);
    if (other->count > 0) memcpy(l->chunks + l->count, other->chunks, other->count * sizeof *l->chunks);
    l->count += other->count;
    free(other->chunks);
}

static inline void edge_list_add(struct edge_list *l, uint32_t tail, uint32_t head, const struct edge *e)
{
    if (l->count == 0 || l->chunks[l->count - 1].count == CHUNK) add_chunk(l);
    struct edge_chunk *c = &l->chunks[l->count - 1];
    c->tail[c->count] = tail;
    c->head[c->count] = head;
    if (c->weight) c->weight[c->count] = e->weight;
    c->count++;
}

/* What one thread reads, and what it enters. */
struct reader {
    struct edge_lines lines;
    struct edge *edge; /* of this round */
    uint32_t *owner;   /* of the head and the tail of each */
    uint64_t count, room, all;
    uint64_t *next; /* per rank: how many go there, then where the next one goes */

    struct edge_list heads, tails;
    uint32_t *ends; /* per own vertex */
    uint64_t unknown;
};

struct reading {
    struct loading *l;
    struct reader *reader;
    int readers;
    size_t width; /* of an edge that is sent */
};

/* NO_INDEX for an id that no vertex has; ids of other ranks get the next number at first sight. */
static inline uint32_t look_up(struct loading *l, struct reader *r, uint64_t id)
{
    const struct net *net = l->graph->net;
    uint32_t number = number_of(&l->numbers, id);
    if (number != NO_INDEX) return number;
    if (id >= l->numbers.limit || owner_of(id_hash(id), net->ranks) == net->rank) {
        r->unknown++;
        return NO_INDEX;
    }
#pragma omp critical(numbers)
    {
        number = number_of(&l->numbers, id); /* another thread may have been quicker */
        if (number == NO_INDEX) number = number_give(&l->numbers, id);
    }
    return number;
}

static inline void keep(const struct loading *l, struct reader *r, uint32_t tail, uint32_t head, const struct edge *e)
{
    uint32_t own = l->graph->own;
    if (tail == NO_INDEX || head == NO_INDEX) return;
    if (tail < own) r->ends[tail]++;
    if (head < own) r->ends[head]++;
    int one_list = !l->graph->directed || l->graph->net->ranks == 1;
    if (one_list || head < own) edge_list_add(&r->heads, tail, head, e);
    if (!one_list && !r->heads.weighted && tail < own) edge_list_add(&r->tails, tail, head, e);
}

static const struct edge *edge_at(const char *edges, uint64_t k, size_t width)
{
    return (const void *)(edges + k * width);
}

/* In groups: what is looked up in one step is on its way to the cache since the one before. Files by tail have the same
   tail often in a row. An edge is `width` bytes. */
static void enter(struct loading *l, struct reader *r, const char *edges, uint64_t count, size_t width)
{
    uint32_t tail[EDGES_AHEAD], head[EDGES_AHEAD], last = NO_INDEX;
    uint64_t last_id = UINT64_MAX; /* no id */
    for (uint64_t first = 0; first < count; first += EDGES_AHEAD, edges += EDGES_AHEAD * width) {
        uint64_t n = count - first < EDGES_AHEAD ? count - first : EDGES_AHEAD;
        for (uint64_t k = 0; k < n; k++) __builtin_prefetch(number_place(&l->numbers, edge_at(edges, k, width)->head));
        for (uint64_t k = 0; k < n; k++) {
            const struct edge *e = edge_at(edges, k, width);
            if (last_id != e->tail) last = look_up(l, r, last_id = e->tail);
            tail[k] = last;
            head[k] = look_up(l, r, e->head);
            __builtin_prefetch(&r->ends[head[k] < l->graph->own ? head[k] : 0], 1);
        }
        for (uint64_t k = 0; k < n; k++) keep(l, r, tail[k], head[k], edge_at(edges, k, width));
    }
}

/* One rank has all that its threads read. */
static void read_alone(struct reading *g)
{
#pragma omp parallel for schedule(static, 1) if (g->readers > 1)
    for (int k = 0; k < g->readers; k++) {
        struct reader *r = &g->reader[k];
        while ((r->count = edge_lines_read(&r->lines, r->edge, r->room))) {
            r->all += r->count;
            enter(g->l, r, (const char *)r->edge, r->count, sizeof *r->edge);
        }
    }
}

/* To the owner of its head, and to that of its tail where that one needs it too. */
static void find_owners(const struct loading *l, struct reader *r)
{
    int ranks = l->graph->net->ranks, heads_only = l->graph->directed && l->heads.weighted;
    memset(r->next, 0, (size_t)ranks * sizeof *r->next);
    for (uint64_t k = 0; k < r->count; k++) {
        int head = owner_of(id_hash(r->edge[k].head), ranks), tail = owner_of(id_hash(r->edge[k].tail), ranks);
        if (heads_only) tail = head;
        r->owner[2 * k] = (uint32_t)head;
        r->owner[2 * k + 1] = (uint32_t)tail;
        r->next[head]++;
        r->next[tail] += head != tail;
    }
}

static void put_out(struct reader *r, char *out, size_t width)
{
    for (uint64_t k = 0; k < r->count; k++) {
        uint32_t head = r->owner[2 * k], tail = r->owner[2 * k + 1];
        memcpy(out + r->next[head]++ * width, &r->edge[k], width);
        if (head != tail) memcpy(out + r->next[tail]++ * width, &r->edge[k], width);
    }
}

static void enter_all(struct reading *g, const struct shuffled *came)
{
    uint64_t share = came->total / (uint64_t)g->readers + 1;
    numbers_make_room(&g->l->numbers, 2 * came->total);
#pragma omp parallel for schedule(static, 1) if (g->readers > 1)
    for (int k = 0; k < g->readers; k++) {
        uint64_t from = (uint64_t)k * share, left = came->total > from ? came->total - from : 0;
        const char *edges = (const char *)came->data + (left > 0 ? from : 0) * g->width;
        enter(g->l, &g->reader[k], edges, left < share ? left : share, g->width);
    }
}

/* False when no rank has lines left. */
static int read_round(struct reading *g, char *out)
{
    struct net *net = g->l->graph->net;
    uint64_t counts[net->ranks], at = 0, more = 0;
#pragma omp parallel for schedule(static, 1) if (g->readers > 1)
    for (int k = 0; k < g->readers; k++) {
        struct reader *r = &g->reader[k];
        r->count = edge_lines_read(&r->lines, r->edge, r->room);
        find_owners(g->l, r);
    }
    for (int to = 0; to < net->ranks; to++) {
        uint64_t before = at;
        for (int k = 0; k < g->readers; k++) {
            uint64_t count = g->reader[k].next[to];
            g->reader[k].next[to] = at;
            at += count;
        }
        counts[to] = at - before;
    }
#pragma omp parallel for schedule(static, 1) reduction(+ : more) if (g->readers > 1)
    for (int k = 0; k < g->readers; k++) {
        put_out(&g->reader[k], out, g->width);
        g->reader[k].all += g->reader[k].count;
        more += g->reader[k].count;
    }
    struct shuffled came = shuffle(net, out, counts, g->width);
    enter_all(g, &came);
    shuffled_free(&came);
    net_max(net, &more, 1);
    return more > 0;
}

static void read_with_others(struct reading *g)
{
    uint64_t room = 0;
    for (int k = 0; k < g->readers; k++) room += 2 * g->reader[k].room;
    char *out = take(room * g->width);
    while (read_round(g, out)) continue;
    free(out);
}

/* False where the file cannot be read. */
static int reader_open(const struct reading *g, int k)
{
    const struct loading *l = g->l;
    const struct net *net = l->graph->net;
    int alone = net->ranks == 1;
    struct reader *r = &g->reader[k];
    *r = (struct reader){.room = alone ? EDGES_AHEAD : g->readers == 1 ? ROUND : ROUND / 2};
    r->heads.weighted = l->heads.weighted;
    r->lines.directed = l->files->directed;
    r->lines.weighted = l->files->weighted;
    r->edge = take(r->room * sizeof *r->edge);
    r->owner = alone ? NULL : take(2 * r->room * sizeof *r->owner);
    r->next = take((size_t)net->ranks * sizeof *r->next);
    r->ends = take_zero(((size_t)l->graph->own + 1) * sizeof *r->ends);
    return edge_lines_open(&r->lines, l->files->edges, net->rank * g->readers + k, net->ranks * g->readers);
}

/* What it found becomes the rank's. */
static void reader_close(struct loading *l, struct reader *r, struct fault *fault)
{
    edge_lines_close(&r->lines);
    edge_list_join(&l->heads, &r->heads);
    edge_list_join(&l->tails, &r->tails);
    if (l->ends)
        for (uint32_t v = 0; v < l->graph->own; v++) l->ends[v] += r->ends[v];
    if (l->ends) free(r->ends);
    else l->ends = r->ends;
    l->unknown += r->unknown;
    l->graph->edges += r->all;
    if (r->lines.fault.kind != NO_FAULT) fault_note(fault, r->lines.fault.kind, r->lines.fault.offset);
    free(r->edge);
    free(r->owner);
    free(r->next);
}

int edges_read(struct loading *l)
{
    struct net *net = l->graph->net;
    struct fault fault = {NO_FAULT, 0};
    struct reader reader[team_size()];
    struct reading g = {.l = l, .reader = reader, .readers = team_size()};
    uint64_t closed = 0;
    g.width = l->heads.weighted ? sizeof(struct edge) : offsetof(struct edge, weight);
    for (int k = 0; k < g.readers; k++) closed |= !reader_open(&g, k);
    net_max(net, &closed, 1);
    if (closed && net->rank == 0)
        fprintf(stderr, "predict-graphalytics: %s cannot be read on every host.\n", l->files->edges);
    if (!closed && net->ranks == 1) read_alone(&g);
    else if (!closed) read_with_others(&g);
    for (int k = 0; k < g.readers; k++) reader_close(l, &reader[k], &fault);
    if (closed) return 0;
    net_sum(net, &l->graph->edges, 1);
    return !fault_said(net, l->files->edges, fault);
}
