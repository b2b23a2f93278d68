/* Each pair of ranks has the edges between them as a bipartite graph. Its copied ends must cover its edges: the fewer,
   the less is sent. Both ranks know all of these edges and number the ends alike, so both find the same cover without a
   message.
   - Of each edge the end with more edges in this graph is copied: hubs, as a rule. Of equals the end of the rank that
     comes first is: the lower rank in half of its pairs, so that no rank has more work for it.
   - An end whose neighbours are all copied is spare, and not copied. Of two spare neighbours the first rank's stays.
   - No more is copied than all ends of the first rank.
   No cover is smaller than the largest matching (D. Konig, 1931); this one is 1 to 2 % larger in Graph500 graphs.

   Source of sharing the edges of hubs: R. Pearce, M. Gokhale, N. Amato, "Faster parallel traversal of scale free graphs
   at extreme scale with vertex delegates", SC'14. */
#include "cover.h"

#include <stdlib.h>

#include "memory.h"

enum { COPIED = 1, SPARE = 2, STAYS = 4 };

struct end {
    uint32_t edges, state;
    uint32_t index; /* the new one of a ghost that is copied */
};

/* An edge by the places of its ends: among own vertices that the peer has copies of, and in its group of ghosts. */
struct cut {
    uint32_t own, ghost;
};

struct pair {
    int first; /* this rank comes first */
    const uint32_t *copy;
    uint32_t owns, first_ghost, ghosts;
    struct end *own, *ghost;
    struct cut *cut;
    uint64_t count, room;
    uint64_t incoming, outgoing; /* those before `incoming` come from ghosts, those from `outgoing` on lead to some */
};

/* The graph as it becomes. */
struct covered {
    struct graph *g;
    uint64_t *next_in, *next_out; /* where the lists of own vertices go on: at the next group of ghosts */
    uint32_t copies, ghosts_at;   /* where the next ones go */
    uint32_t begun;               /* lists in `back` */
    uint64_t back_count;
};

static int is_of(const struct pair *p, uint32_t index) { return index - p->first_ghost < p->ghosts; }

/* Where a group of ghosts ends in the list of an own vertex. */
static uint64_t group_end(const struct pair *p, const struct lists *l, uint32_t v, uint64_t at)
{
    while (at < l->ptr[v + 1] && is_of(p, l->to[at])) at++;
    return at;
}

static uint64_t count_cuts(const struct pair *p, const struct lists *l, const uint64_t *next)
{
    uint64_t count = 0;
    for (uint32_t k = 0; k < p->owns; k++) count += group_end(p, l, p->copy[k], next[p->copy[k]]) - next[p->copy[k]];
    return count;
}

static void add_cuts(struct pair *p, const struct lists *l, uint64_t *next)
{
    for (uint32_t k = 0; k < p->owns; k++) {
        uint64_t at = next[p->copy[k]], end = next[p->copy[k]] = group_end(p, l, p->copy[k], at);
        for (; at < end; at++) p->cut[p->count++] = (struct cut){k, l->to[at] - p->first_ghost};
    }
}

/* First those along `in`, then those along `out` of a directed graph. */
static void list_cuts(struct covered *c, struct pair *p)
{
    const struct graph *g = c->g;
    uint64_t incoming = count_cuts(p, &g->in, c->next_in);
    uint64_t count = incoming + (g->directed ? count_cuts(p, &g->out, c->next_out) : 0);
    if (count > p->room) {
        free(p->cut);
        p->cut = take(count * sizeof *p->cut);
        p->room = count;
    }
    p->count = 0;
    p->incoming = incoming;
    p->outgoing = g->directed ? incoming : 0;
    add_cuts(p, &g->in, c->next_in);
    if (g->directed) add_cuts(p, &g->out, c->next_out);
}

static int own_leads(const struct pair *p, struct cut c)
{
    return p->own[c.own].edges + (uint32_t)p->first > p->ghost[c.ghost].edges;
}

static int works_here(const struct pair *p, struct cut c)
{
    int own = p->own[c.own].state & COPIED, ghost = p->ghost[c.ghost].state & COPIED;
    return own_leads(p, c) ? !own : ghost;
}

/* Without branches, as in drop_spare: nobody foresees which way they go. */
static void copy_leaders(struct pair *p)
{
    for (uint64_t e = 0; e < p->count; e++) {
        p->own[p->cut[e].own].edges++;
        p->ghost[p->cut[e].ghost].edges++;
    }
    for (uint64_t e = 0; e < p->count; e++) {
        uint32_t own = (uint32_t)own_leads(p, p->cut[e]);
        p->own[p->cut[e].own].state |= own * (COPIED | SPARE);
        p->ghost[p->cut[e].ghost].state |= (1 - own) * (COPIED | SPARE);
    }
}

static void drop(struct end *ends, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++)
        if ((ends[k].state & (SPARE | STAYS)) == SPARE) ends[k].state = 0;
}

static void drop_spare(struct pair *p)
{
    for (uint64_t e = 0; e < p->count; e++) {
        struct end *own = &p->own[p->cut[e].own], *ghost = &p->ghost[p->cut[e].ghost];
        own->state &= ~(uint32_t)SPARE | (ghost->state & COPIED) * SPARE;
        ghost->state &= ~(uint32_t)SPARE | (own->state & COPIED) * SPARE;
    }
    for (uint64_t e = 0; e < p->count; e++) {
        struct end *own = &p->own[p->cut[e].own], *ghost = &p->ghost[p->cut[e].ghost];
        uint32_t both = own->state & ghost->state & SPARE;
        (p->first ? own : ghost)->state |= both / SPARE * STAYS;
    }
    drop(p->own, p->owns);
    drop(p->ghost, p->ghosts);
}

/* Ghosts that stay, in the order of old. */
static void number_ghosts(struct covered *c, struct pair *p, int rank)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < p->ghosts; k++)
        if (p->ghost[k].state & COPIED) p->ghost[k].index = c->ghosts_at + n++;
    c->g->ghost_count[rank] = n;
    c->ghosts_at += whole_words(n);
}

/* A counting sort. */
static void list_back(struct covered *c, const struct pair *p)
{
    struct lists *back = &c->g->back;
    uint64_t *next = take_zero(((size_t)p->ghosts + 1) * sizeof *next);
    for (uint64_t e = p->outgoing; e < p->count; e++) next[p->cut[e].ghost] += (uint64_t)works_here(p, p->cut[e]);
    for (uint32_t k = 0; k < p->ghosts; k++) {
        if (!(p->ghost[k].state & COPIED)) continue;
        uint64_t edges = next[k];
        next[k] = c->back_count;
        while (c->begun <= p->ghost[k].index - c->g->ghosts_from) back->ptr[c->begun++] = c->back_count;
        c->back_count += edges;
    }
    for (uint64_t e = p->outgoing; e < p->count; e++)
        if (works_here(p, p->cut[e])) back->to[next[p->cut[e].ghost]++] = p->copy[p->cut[e].own];
    free(next);
}

/* New indices in `in`, from the end of the group on; NO_INDEX where the other rank works on the edge. */
static void mark_in(struct covered *c, const struct pair *p)
{
    uint32_t *to = c->g->in.to;
    for (uint64_t e = p->incoming, left = 0; e-- > 0; left++) {
        struct cut cut = p->cut[e];
        if (e + 1 == p->incoming || p->cut[e + 1].own != cut.own) left = 0;
        to[c->next_in[p->copy[cut.own]] - 1 - left] = works_here(p, cut) ? p->ghost[cut.ghost].index : NO_INDEX;
    }
}

/* Overwrites the places of old. */
static void keep_copies(struct covered *c, const struct pair *p, int rank)
{
    c->g->copy_start[rank] = c->copies;
    for (uint32_t k = 0; k < p->owns; k++)
        if (p->own[k].state & COPIED) c->g->copy[c->copies++] = p->copy[k];
}

static uint32_t count_copied(const struct end *ends, uint32_t count)
{
    uint32_t copied = 0;
    for (uint32_t k = 0; k < count; k++) copied += ends[k].state & COPIED;
    return copied;
}

static void limit(struct pair *p)
{
    uint32_t copied = count_copied(p->own, p->owns) + count_copied(p->ghost, p->ghosts);
    if (copied <= (p->first ? p->owns : p->ghosts)) return;
    for (uint32_t k = 0; k < p->owns; k++) p->own[k].state = p->first ? COPIED : 0;
    for (uint32_t k = 0; k < p->ghosts; k++) p->ghost[k].state = p->first ? 0 : COPIED;
}

static void cover_pair(struct covered *c, struct pair *p, int rank)
{
    p->own = take_zero(((size_t)p->owns + 1) * sizeof *p->own);
    p->ghost = take_zero(((size_t)p->ghosts + 1) * sizeof *p->ghost);
    list_cuts(c, p);
    copy_leaders(p);
    drop_spare(p);
    limit(p);
    number_ghosts(c, p, rank);
    list_back(c, p);
    mark_in(c, p);
    keep_copies(c, p, rank);
    free(p->own);
    free(p->ghost);
}

static int comes_first(int rank, int peer) { return (rank < peer) == ((rank + peer) % 2 == 0); }

static void cover_pairs(struct covered *c)
{
    struct graph *g = c->g;
    struct pair p = {0};
    uint32_t from = 0;
    for (int r = 0; r < g->net->ranks; r++) {
        uint32_t to = g->copy_start[r + 1];
        p.first = comes_first(g->net->rank, r);
        p.copy = g->copy + from;
        p.owns = to - from;
        p.first_ghost = g->ghost_start[r];
        p.ghosts = g->ghost_count[r];
        cover_pair(c, &p, r);
        from = to;
    }
    g->copy_start[g->net->ranks] = c->copies;
    free(p.cut);
}

/* Where each list has its first ghost; adds up how many entries there are from there on. */
static uint64_t *first_ghosts(const struct graph *g, const struct lists *l, uint64_t *entries)
{
    uint64_t *first = take(((size_t)g->own + 1) * sizeof *first);
    for (uint32_t v = 0; v < g->own; v++) {
        for (first[v] = l->ptr[v]; first[v] < l->ptr[v + 1] && l->to[first[v]] < g->own;) first[v]++;
        *entries += l->ptr[v + 1] - first[v];
    }
    return first;
}

static void close_gaps(struct lists *l, uint32_t size)
{
    uint64_t n = 0, at = l->ptr[0];
    for (uint32_t v = 0; v < size; v++) {
        for (uint64_t end = l->ptr[v + 1]; at < end; at++)
            if (l->to[at] != NO_INDEX) l->to[n++] = l->to[at];
        l->ptr[v + 1] = n;
    }
}

void cover_cut(struct graph *g)
{
    if (g->net->ranks == 1) return;
    struct covered c = {.g = g, .ghosts_at = g->ghosts_from};
    uint64_t incoming = 0, outgoing = 0;
    g->out_degree = take(((size_t)g->own + 1) * sizeof *g->out_degree);
    for (uint32_t v = 0; v < g->own; v++) g->out_degree[v] = (uint32_t)degree_of(&g->out, v);
    c.next_in = first_ghosts(g, &g->in, &incoming);
    if (g->directed) c.next_out = first_ghosts(g, &g->out, &outgoing);
    g->back = (struct lists){take(((size_t)(g->all - g->ghosts_from) + 1) * sizeof *g->back.ptr),
                             take(((g->directed ? outgoing : incoming) + 1) * sizeof *g->back.to)};
    cover_pairs(&c);
    free(c.next_in);
    free(c.next_out);
    free(g->ghost_start);
    graph_place_ghosts(g);
    while (c.begun <= g->all - g->ghosts_from) g->back.ptr[c.begun++] = c.back_count;
    close_gaps(&g->in, g->own);
}
