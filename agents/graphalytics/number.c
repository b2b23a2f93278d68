/* Indices: own vertices by falling degree, so that the lists and values of hubs lie near each other and come first in
   every list; ghosts by owner, in the owner's order. The owner is asked for the indices of ghosts, and learns so which
   of its vertices have copies where; both sides put them in the same order without another message. */
#include <stdlib.h>
#include <string.h>

#include "load.h"
#include "memory.h"
#include "shuffle.h"

/* A counting sort by falling number of edge ends; ties by id. */
static void number_own(struct loading *l)
{
    struct graph *g = l->graph;
    uint32_t *ends = l->ends, most = 0;
    for (uint32_t v = 0; v < g->own; v++) most = ends[v] > most ? ends[v] : most;
    uint32_t *next = take_zero(((size_t)most + 2) * sizeof *next);
    for (uint32_t v = 0; v < g->own; v++) next[most - ends[v] + 1]++;
    g->busy = g->own - next[most + 1];
    for (uint32_t d = 0; d <= most; d++) next[d + 1] += next[d];
    uint32_t *ordinal = take(((size_t)g->own + 1) * sizeof *ordinal);
    for (uint32_t v = 0; v < g->own; v++) {
        uint32_t index = l->index[v] = next[most - ends[v]]++;
        ordinal[index] = g->ordinal[v];
    }
    free(g->ordinal);
    g->ordinal = ordinal;
    free(next);
}

/* Of a set of indices as bits: how many are below each word. */
static uint32_t *counts_below(const uint64_t *bits, size_t words)
{
    uint32_t *below = take((words + 1) * sizeof *below), sum = 0;
    for (size_t w = 0; w < words; w++) {
        below[w] = sum;
        sum += (uint32_t)__builtin_popcountll(bits[w]);
    }
    below[words] = sum;
    return below;
}

/* What each rank asked for, in ascending order: the copies that it has of own vertices. */
static void list_copies(struct graph *g, const struct shuffled *asked, const uint32_t *answers)
{
    int ranks = g->net->ranks;
    size_t words = words_for(g->own), at = 0;
    uint64_t *bits = take((words + 1) * sizeof *bits);
    g->copy_start = take(((size_t)ranks + 1) * sizeof *g->copy_start);
    g->copy = take((asked->total + 1) * sizeof *g->copy);
    uint32_t n = 0;
    for (int r = 0; r < ranks; r++) {
        g->copy_start[r] = n;
        memset(bits, 0, words * sizeof *bits);
        for (uint64_t end = at + asked->counts[r]; at < end; at++)
            if (answers[at] != NO_INDEX) bit_set(bits, answers[at]);
        for (size_t w = 0; w < words; w++)
            for (uint64_t left = bits[w]; left; left &= left - 1)
                g->copy[n++] = (uint32_t)(w * 64 + (size_t)__builtin_ctzll(left));
    }
    g->copy_start[ranks] = n;
    free(bits);
}

/* Index of each ghost from its owner and the index there. */
static void number_ghosts_of(struct loading *l, int owner, const uint32_t *ghost, const uint32_t *theirs,
                             uint64_t count)
{
    struct graph *g = l->graph;
    size_t words = words_for(g->own_of[owner]);
    uint64_t *bits = take_zero((words + 1) * sizeof *bits);
    for (uint64_t k = 0; k < count; k++)
        if (theirs[k] != NO_INDEX) bit_set(bits, theirs[k]);
    uint32_t *below = counts_below(bits, words);
    for (uint64_t k = 0; k < count; k++) {
        uint32_t v = theirs[k];
        if (v == NO_INDEX) continue;
        uint64_t lower = bits[v / 64] & (((uint64_t)1 << (v % 64)) - 1);
        l->index[ghost[k]] = g->ghost_start[owner] + below[v / 64] + (uint32_t)__builtin_popcountll(lower);
    }
    free(below);
    free(bits);
}

struct ghosts {
    uint64_t count, *counts; /* per owner */
    uint32_t *number;        /* of each, by owner */
    uint64_t *id;
};

/* Every numbered id that is another rank's. */
static struct ghosts list_ghosts(const struct loading *l)
{
    const struct graph *g = l->graph;
    int ranks = g->net->ranks;
    struct ghosts s = {.count = l->numbers.count - g->own, .counts = take((size_t)ranks * sizeof *s.counts)};
    uint64_t *id = take((s.count + 1) * sizeof *id), *order = take((s.count + 1) * sizeof *order);
    uint32_t *owner = take((s.count + 1) * sizeof *owner);
    for (uint64_t place = 0; s.count > 0 && place < numbers_places(&l->numbers); place++) {
        uint64_t ghost;
        uint32_t number;
        if (!numbers_at(&l->numbers, place, &ghost, &number) || number < g->own) continue;
        id[number - g->own] = ghost;
        owner[number - g->own] = (uint32_t)owner_of(id_hash(ghost), ranks);
    }
    order_by_rank(owner, s.count, ranks, s.counts, order);
    s.number = take((s.count + 1) * sizeof *s.number);
    s.id = take((s.count + 1) * sizeof *s.id);
    for (uint64_t k = 0; k < s.count; k++) {
        s.number[order[k]] = g->own + (uint32_t)k;
        s.id[order[k]] = id[k];
    }
    free(owner);
    free(order);
    free(id);
    return s;
}

/* The indices here of ids that others ask for. */
static uint32_t *answer(const struct loading *l, const struct shuffled *asked)
{
    uint32_t *answers = take((asked->total + 1) * sizeof *answers);
    const uint64_t *id = asked->data;
    for (uint64_t k = 0; k < asked->total; k++) {
        uint32_t number = number_of(&l->numbers, id[k]);
        answers[k] = number < l->graph->own ? l->index[number] : NO_INDEX;
    }
    return answers;
}

/* Sizes of groups: ids that no owner knows have no place. */
static void place_ghosts(struct loading *l, const struct ghosts *s, const uint32_t *theirs)
{
    struct graph *g = l->graph;
    uint64_t at = 0;
    for (int r = 0; r < g->net->ranks; r++) {
        uint32_t n = 0;
        for (uint64_t end = at + s->counts[r]; at < end; at++) {
            n += theirs[at] != NO_INDEX;
            if (theirs[at] == NO_INDEX) l->index[s->number[at]] = NO_INDEX;
            l->unknown += theirs[at] == NO_INDEX;
        }
        g->ghost_count[r] = n;
    }
    graph_place_ghosts(g);
    at = 0;
    for (int r = 0; r < g->net->ranks; at += s->counts[r++])
        number_ghosts_of(l, r, s->number + at, theirs + at, s->counts[r]);
}

int number_vertices(struct loading *l)
{
    struct graph *g = l->graph;
    struct net *net = g->net;
    l->index = take(((size_t)l->numbers.count + 1) * sizeof *l->index);
    g->own_of = take_zero((size_t)net->ranks * sizeof *g->own_of);
    g->ghost_count = take((size_t)net->ranks * sizeof *g->ghost_count);
    number_own(l);
    uint64_t own[net->ranks];
    memset(own, 0, sizeof own);
    own[net->rank] = g->own;
    net_sum(net, own, net->ranks);
    for (int r = 0; r < net->ranks; r++) g->own_of[r] = (uint32_t)own[r];

    struct ghosts ghosts = list_ghosts(l);
    uint32_t *theirs = take((ghosts.count + 1) * sizeof *theirs);
    struct shuffled asked = shuffle(net, ghosts.id, ghosts.counts, sizeof *ghosts.id);
    uint32_t *answers = answer(l, &asked);
    shuffle_back(net, &asked, answers, ghosts.counts, theirs, sizeof *theirs);
    list_copies(g, &asked, answers);
    place_ghosts(l, &ghosts, theirs);
    free(answers);
    free(theirs);
    shuffled_free(&asked);
    free(ghosts.number);
    free(ghosts.id);
    free(ghosts.counts);
    uint64_t unknown = l->unknown;
    net_max(net, &unknown, 1);
    return unknown == 0 || !fault_said(net, l->files->edges, find_unknown_end(l));
}
