/* Weakly connected components: on each rank by union and find, then between ranks by labels.

   A rank joins its own vertices and ghosts along its edges; most of the largest component is found by two neighbours
   each, so that its other edges are passed over (M. Sutton, T. Ben-Nun, A. Barak, "Optimizing parallel graph
   connectivity computation via subgraph sampling", IPDPS'18). What is joined has a label: ordinal and place of its
   smallest vertex. In each superstep ranks tell labels that fell to those with copies, the owner of a label that was
   given up gets the better one, and every label is exchanged for what its own vertex has by then: so labels run along
   trees, not paths (Y. Zhang, A. Azad, Z. Hu, "FastSV", SIAM PP'20). The result is the smallest ordinal of each
   component. */
#include <stdlib.h>
#include <string.h>

#include "job.h"
#include "join.h"
#include "memory.h"
#include "shuffle.h"

struct components {
    uint32_t *part;  /* per index: its part on this rank, named by its smallest index */
    uint32_t *roots; /* the parts */
    uint32_t root_count;
    uint64_t *label;   /* per part: ordinal in the upper half, place in the lower */
    uint64_t *before;  /* per part: label before this superstep */
    uint64_t *told;    /* per index: label last told, or heard of */
    uint32_t *changed; /* own vertices to tell of */
    uint32_t *first;   /* per rank: place of its first vertex; places go on by index. ranks + 1 */
    uint64_t falls;    /* labels that fell in this superstep */
};

static void open(struct job *j)
{
    const struct graph *g = j->graph;
    struct components *c = j->state = take_zero(sizeof *c);
    size_t all = (size_t)g->all + 1;
    c->part = take(all * sizeof *c->part);
    c->roots = take(all * sizeof *c->roots);
    c->label = take(all * sizeof *c->label);
    c->before = take(all * sizeof *c->before);
    c->told = take(all * sizeof *c->told);
    c->changed = take(((size_t)g->own + 1) * sizeof *c->changed);
    c->first = take_zero(((size_t)g->net->ranks + 1) * sizeof *c->first);
    for (int r = 0; r < g->net->ranks; r++) c->first[r + 1] = c->first[r] + g->own_of[r];
    j->label = take(((size_t)g->own + 1) * sizeof *j->label);
}

static void close(struct job *j)
{
    struct components *c = j->state;
    free(c->part);
    free(c->roots);
    free(c->label);
    free(c->before);
    free(c->told);
    free(c->changed);
    free(c->first);
    free(c);
    free(j->label);
}

static void fall(struct components *c, uint32_t part, uint64_t label)
{
    if (label >= c->label[part]) return;
    c->label[part] = label;
    c->falls++;
}

/* Parts are named by their first index; those of ghosts alone have no label until one is heard. */
static void first_labels(struct job *j)
{
    const struct graph *g = j->graph;
    struct components *c = j->state;
    uint32_t first = c->first[g->net->rank];
    c->root_count = 0;
    for (uint32_t v = 0; v < g->all; v++) {
        c->told[v] = c->label[v] = UINT64_MAX;
        if (c->part[v] == v && (v < g->own || v >= g->ghosts_from)) c->roots[c->root_count++] = v;
    }
    for (uint32_t v = 0; v < g->own; v++) fall(c, c->part[v], (uint64_t)g->ordinal[v] << 32 | (first + v));
}

static int rank_of_place(const struct components *c, int ranks, uint32_t place)
{
    int low = 0, high = ranks;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (c->first[middle] <= place) low = middle;
        else high = middle;
    }
    return low;
}

/* Labels that fell, to who has copies; what is heard lowers the parts of ghosts. */
static void tell(struct job *j)
{
    const struct graph *g = j->graph;
    struct components *c = j->state;
    uint64_t n = 0;
    for (uint32_t v = 0; v < g->busy; v++) {
        uint64_t label = c->label[c->part[v]];
        if (c->told[v] == label) continue;
        c->told[v] = label;
        c->changed[n++] = v;
    }
    phase_ends(j, COMPUTE);
    halo_spread(&j->halo, c->changed, n, c->told, sizeof *c->told);
    for (uint64_t k = 0; k < j->halo.arrived_count; k++) {
        uint32_t v = j->halo.arrived[k];
        fall(c, c->part[v], c->told[v]);
    }
}

/* A label that was given up for another: the part that it stands for is one with that. */
struct better {
    uint64_t place, label;
};

static void hook(struct job *j)
{
    const struct graph *g = j->graph;
    struct components *c = j->state;
    int ranks = g->net->ranks;
    uint64_t counts[ranks], n = 0, *order = take(((size_t)c->root_count + 1) * sizeof *order);
    uint32_t *to = take(((size_t)c->root_count + 1) * sizeof *to);
    struct better *out = take(((size_t)c->root_count + 1) * sizeof *out);
    for (uint32_t k = 0; k < c->root_count; k++) {
        uint32_t part = c->roots[k];
        if (c->label[part] != c->before[part] && c->before[part] != UINT64_MAX)
            to[n++] = (uint32_t)rank_of_place(c, ranks, (uint32_t)c->before[part]);
    }
    order_by_rank(to, n, ranks, counts, order);
    n = 0;
    for (uint32_t k = 0; k < c->root_count; k++) {
        uint32_t part = c->roots[k];
        if (c->label[part] != c->before[part] && c->before[part] != UINT64_MAX)
            out[order[n++]] = (struct better){(uint32_t)c->before[part], c->label[part]};
    }
    struct shuffled came = shuffle(g->net, out, counts, sizeof *out);
    const struct better *b = came.data;
    for (uint64_t k = 0; k < came.total; k++) fall(c, c->part[b[k].place - c->first[g->net->rank]], b[k].label);
    shuffled_free(&came);
    free(out);
    free(to);
    free(order);
}

/* Each part's label for the one that its vertex has by now. */
static void jump(struct job *j)
{
    const struct graph *g = j->graph;
    struct components *c = j->state;
    int ranks = g->net->ranks;
    uint64_t counts[ranks], *order = take(((size_t)c->root_count + 1) * sizeof *order);
    uint32_t *to = take(((size_t)c->root_count + 1) * sizeof *to),
             *ask = take(((size_t)c->root_count + 1) * sizeof *ask);
    uint64_t *reply = take(((size_t)c->root_count + 1) * sizeof *reply), n = 0;
    uint32_t *part = take(((size_t)c->root_count + 1) * sizeof *part);
    for (uint32_t k = 0; k < c->root_count; k++) {
        uint64_t label = c->label[c->roots[k]];
        int owner = label == UINT64_MAX ? g->net->rank : rank_of_place(c, ranks, (uint32_t)label);
        if (owner == g->net->rank) continue;
        part[n] = c->roots[k];
        to[n++] = (uint32_t)owner;
    }
    order_by_rank(to, n, ranks, counts, order);
    for (uint64_t k = 0; k < n; k++) ask[order[k]] = (uint32_t)c->label[part[k]];
    struct shuffled asked = shuffle(g->net, ask, counts, sizeof *ask);
    const uint32_t *place = asked.data;
    uint64_t *answers = take((asked.total + 1) * sizeof *answers);
    for (uint64_t k = 0; k < asked.total; k++) answers[k] = c->label[c->part[place[k] - c->first[g->net->rank]]];
    shuffle_back(g->net, &asked, answers, counts, reply, sizeof *reply);
    for (uint64_t k = 0; k < n; k++) fall(c, part[k], reply[order[k]]);
    free(answers);
    shuffled_free(&asked);
    free(part);
    free(reply);
    free(ask);
    free(to);
    free(order);
}

static void run(struct job *j)
{
    const struct graph *g = j->graph;
    struct components *c = j->state;
    uint64_t fell = 1, superstep = 0;
    superstep_begins(j, superstep);
    join_here(g, c->part);
    first_labels(j);
    while (g->net->ranks > 1 && fell > 0) {
        c->falls = 0;
        for (uint32_t k = 0; k < c->root_count; k++) c->before[c->roots[k]] = c->label[c->roots[k]];
        tell(j);
        hook(j);
        jump(j);
        phase_ends(j, EXCHANGE);
        fell = c->falls;
        net_sum(g->net, &fell, 1);
        phase_ends(j, SYNCHRONISE);
        superstep_begins(j, ++superstep);
    }
    for (uint32_t v = 0; v < g->own; v++) j->label[v] = (uint32_t)(c->label[c->part[v]] >> 32);
    phase_ends(j, COMPUTE);
    j->supersteps = superstep + 1;
}

const struct algorithm wcc = {.name = "wcc", .kind = LABELS, .open = open, .run = run, .close = close};
